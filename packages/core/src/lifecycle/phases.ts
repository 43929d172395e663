import type { Audience } from '../api/audience.ts';
import type { Condition, Segment } from '../api/targeting.ts';
import type { Holdout } from '../evaluation/assignment.ts';
import { segmentsIn } from '../evaluation/segments.ts';
import { TargetingIndex } from '../evaluation/used-attributes.ts';
import { MINUTE_MS } from '../time.ts';
import type { SplitTestStatus } from './status.ts';

/** Everything that determines assignment. While it is unchanged, visitors can be counted together. */
export interface PhaseDefinition {
  hashSeed: string;
  trafficAllocation: number;
  variations: AssignedVariation[];
  exclusion: { group: string; seed: string; from: number; to: number } | null;
  /** Null if there is no holdout. */
  holdout: Holdout | null;
  /** Whose id decides, and who is counted. */
  unit: 'visitor' | 'user';
  /** Omitted if all visitors take part. */
  audience?: AudienceInForce;
  /** Of a measured rule, if others come before it: a digest of what decides who reaches it. */
  reach?: string;
  /** Of a measured rollout: a digest of what those outside get. */
  otherwise?: string;
}

interface AssignedVariation {
  key: string;
  weight: number;
  value: string;
  /** Taken out: its visitors see the control and are not counted any more. */
  retired?: true;
}

/** An audience with the segments that it uses, because a change of them changes who takes part. */
export interface AudienceInForce extends Audience {
  segments: Segment[];
}

export type PhaseReason =
  | 'started'
  | 'seed'
  | 'traffic'
  | 'weights'
  | 'variations'
  | 'exclusion'
  | 'holdout'
  | 'unit'
  | 'audience'
  | 'rules';

/** A period in which a test ran with one definition. Results are per phase. */
export interface Phase {
  /** Starts at 1. */
  number: number;
  /** Unix milliseconds; of a scheduled start, the planned time. */
  startedAt: number;
  /** When visitors got it in fact, if no server ran at the planned time. */
  servedFrom?: number;
  /** Null while the phase is open; a pause does not end it. */
  endedAt: number | null;
  /** Why the phase was started. */
  reasons: PhaseReason[];
  definition: PhaseDefinition;
  /** Periods in which the test was paused; omitted if there are none. */
  pauses?: readonly Pause[];
}

/** Unix milliseconds; `to` is null while the pause lasts. */
export interface Pause {
  readonly from: number;
  readonly to: number | null;
}

/** Schedules run every second; another node takes over within seconds. */
const LATE_MS = MINUTE_MS;

interface Test {
  readonly hashSeed: string;
  readonly trafficAllocation: number;
  readonly variations: readonly Readonly<AssignedVariation>[];
  readonly exclusion: { readonly group: string; readonly from: number; readonly to: number } | null;
  readonly unit: 'visitor' | 'user';
  readonly audience?: Audience;
}

interface Property {
  readonly hashSeed: string;
  readonly holdout: number;
  readonly segments: readonly Segment[];
}

/** The definition that is in force for a test; group seeds and the holdout come from its property. */
export function definitionInForce(test: Test, property: Property): PhaseDefinition {
  const { hashSeed, trafficAllocation, variations, exclusion, unit, audience } = test;
  return {
    hashSeed,
    trafficAllocation,
    variations: variations.map(({ key, weight, value, retired }) => ({
      key,
      weight,
      value,
      ...(retired && { retired }),
    })),
    exclusion: exclusion && {
      group: exclusion.group,
      seed: `${property.hashSeed}:${exclusion.group}`,
      from: exclusion.from,
      to: exclusion.to,
    },
    holdout: property.holdout > 0 ? { seed: property.hashSeed, percentage: property.holdout } : null,
    unit,
    ...(audience && { audience: audienceInForce(audience, property.segments) }),
  };
}

/** The audience as it decides, with members in a fixed order. */
export function audienceInForce(
  { match = 'all', conditions }: Audience,
  segments: readonly Segment[],
): AudienceInForce {
  const used = new TargetingIndex({ flags: [], segments }).withContained(segmentsIn(conditions));
  return {
    match,
    conditions: conditions.map(inOrder),
    segments: used.map(({ id, match = 'all', conditions }) => ({
      id,
      match,
      conditions: conditions.map(inOrder),
    })),
  };
}

/** Requests may have the members in any order, which is no change. */
const inOrder = ({ attribute, operator, values, negate, caseInsensitive }: Condition): Condition => ({
  ...(attribute !== undefined && { attribute }),
  operator,
  ...(values && { values }),
  ...(negate && { negate }),
  ...(caseInsensitive && { caseInsensitive }),
});

/**
 * The phases of a test after a change; the same list if nothing changes. Changes during a pause take effect when the
 * test resumes, because visitors see them only then.
 *
 * @param at when the change takes effect: before `now` if a schedule is late
 */
export function advancePhases(
  phases: readonly Phase[],
  status: SplitTestStatus,
  definition: PhaseDefinition,
  at: number,
  now = at,
): readonly Phase[] {
  const last = phases.at(-1);
  const open = last?.endedAt === null ? last : undefined;
  if (open === undefined) {
    return status === 'running' ? [...phases, startPhase(last, ['started'], definition, at, now)] : phases;
  }
  const before = phases.slice(0, -1);
  if (status === 'paused') return isPaused(open) ? phases : [...before, pause(open, at)];
  const resumed = isPaused(open) ? resume(open, at) : open;
  const closed = { ...resumed, endedAt: Math.max(at, open.startedAt) };
  if (status !== 'running') return [...before, closed];
  const reasons = reasonsForNewPhase(open.definition, definition);
  if (reasons.length > 0)
    return [...before, closed, startPhase(open, reasons, definition, closed.endedAt, now)];
  if (resumed === open && isEqual(open.definition, definition)) return phases;
  return [...before, { ...resumed, definition }];
}

const isPaused = ({ pauses }: Phase) => pauses?.some(({ to }) => to === null);

const pause = (phase: Phase, at: number): Phase => ({
  ...phase,
  pauses: [...(phase.pauses ?? []), { from: Math.max(at, phase.startedAt), to: null }],
});

const resume = (phase: Phase, at: number): Phase => ({
  ...phase,
  pauses: phase.pauses!.map(({ from, to }) => ({ from, to: to ?? Math.max(at, from) })),
});

function startPhase(
  last: Phase | undefined,
  reasons: PhaseReason[],
  definition: PhaseDefinition,
  at: number,
  now: number,
): Phase {
  const number = (last?.number ?? 0) + 1;
  const late = now - at >= LATE_MS ? { servedFrom: now } : {};
  return { number, startedAt: at, ...late, endedAt: null, reasons, definition };
}

/**
 * Empty if no participant is moved: more traffic and a smaller holdout only add visitors, and a variation that is
 * retired leaves everybody else where they are.
 */
function reasonsForNewPhase(before: PhaseDefinition, after: PhaseDefinition): PhaseReason[] {
  const content = ({ variations }: PhaseDefinition) => variations.map(({ key, value }) => [key, value]);
  const isBack = ({ key }: AssignedVariation) =>
    before.variations.some((each) => each.key === key && each.retired === true);
  const weights = ({ variations }: PhaseDefinition) => variations.map(({ weight }) => weight);
  const reasons: [PhaseReason, boolean][] = [
    ['seed', before.hashSeed !== after.hashSeed],
    ['traffic', after.trafficAllocation < before.trafficAllocation],
    ['weights', !isEqual(weights(before), weights(after))],
    [
      'variations',
      !isEqual(content(before), content(after)) ||
        after.variations.some((each) => each.retired !== true && isBack(each)),
    ],
    ['exclusion', !isEqual(before.exclusion, after.exclusion)],
    ['holdout', holdsOutMore(before.holdout, after.holdout)],
    ['unit', before.unit !== after.unit],
    ['audience', !isEqual(before.audience, after.audience)],
    ['rules', before.reach !== after.reach || before.otherwise !== after.otherwise],
  ];
  return reasons.flatMap(([reason, applies]) => (applies ? [reason] : []));
}

function holdsOutMore(before: Holdout | null, after: Holdout | null): boolean {
  if (after === null) return false;
  return before === null || before.seed !== after.seed || before.percentage < after.percentage;
}

/** Definitions are always built in the same member order, so their JSON can be compared. */
function isEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
