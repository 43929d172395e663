import type { Holdout } from '../evaluation/assignment.ts';
import type { SplitTestStatus } from './status.ts';

/** All that decides who sees what. While it stays the same, visitors can be counted together. */
export interface PhaseDefinition {
  hashSeed: string;
  trafficAllocation: number;
  variations: { key: string; weight: number; value: string }[];
  exclusion: { group: string; seed: string; from: number; to: number } | null;
  /** Null when nobody is held out. */
  holdout: Holdout | null;
}

export type PhaseReason = 'started' | 'seed' | 'traffic' | 'weights' | 'variations' | 'exclusion' | 'holdout';

/** A time in which a test ran under one definition. Results are per phase. */
export interface Phase {
  /** From 1. */
  number: number;
  /** Unix milliseconds. */
  startedAt: number;
  /** Null while it is open; a pause leaves it open. */
  endedAt: number | null;
  /** Why it was opened. */
  reasons: PhaseReason[];
  definition: PhaseDefinition;
  /** When nobody was shown anything, because the test was paused; absent when it never was. */
  pauses?: readonly Pause[];
}

/** Unix milliseconds; `to` is null while the pause lasts. */
export interface Pause {
  readonly from: number;
  readonly to: number | null;
}

interface Test {
  readonly hashSeed: string;
  readonly trafficAllocation: number;
  readonly variations: readonly { readonly key: string; readonly weight: number; readonly value: string }[];
  readonly exclusion: { readonly group: string; readonly from: number; readonly to: number } | null;
}

interface Property {
  readonly hashSeed: string;
  readonly holdout: number;
}

/** The definition that is in force for a test of a property; seeds of groups and the holdout are the property's. */
export function definitionInForce(test: Test, property: Property): PhaseDefinition {
  const { hashSeed, trafficAllocation, variations, exclusion } = test;
  return {
    hashSeed,
    trafficAllocation,
    variations: variations.map(({ key, weight, value }) => ({ key, weight, value })),
    exclusion: exclusion && {
      group: exclusion.group,
      seed: `${property.hashSeed}:${exclusion.group}`,
      from: exclusion.from,
      to: exclusion.to,
    },
    holdout: property.holdout > 0 ? { seed: property.hashSeed, percentage: property.holdout } : null,
  };
}

/**
 * The phases of a test after a change; the same list when none of them is touched. What changes during a pause
 * counts when the test goes on, because only then somebody sees it.
 */
export function advancePhases(
  phases: readonly Phase[],
  status: SplitTestStatus,
  definition: PhaseDefinition,
  at: number,
): readonly Phase[] {
  const last = phases.at(-1);
  const open = last?.endedAt === null ? last : undefined;
  if (status === 'draft') return phases;
  if (open === undefined) {
    return status === 'running' ? [...phases, opened(last, ['started'], definition, at)] : phases;
  }
  const before = phases.slice(0, -1);
  if (status === 'paused') return isPaused(open) ? phases : [...before, paused(open, at)];
  const resumed = isPaused(open) ? resume(open, at) : open;
  const closed = { ...resumed, endedAt: Math.max(at, open.startedAt) };
  if (status !== 'running') return [...before, closed];
  const reasons = reasonsForNewPhase(open.definition, definition);
  if (reasons.length > 0) return [...before, closed, opened(open, reasons, definition, closed.endedAt)];
  if (resumed === open && same(open.definition, definition)) return phases;
  return [...before, { ...resumed, definition }];
}

const isPaused = ({ pauses }: Phase) => pauses?.at(-1)?.to === null;

const paused = (phase: Phase, at: number): Phase => ({
  ...phase,
  pauses: [...(phase.pauses ?? []), { from: Math.max(at, phase.startedAt), to: null }],
});

const resume = ({ pauses = [], ...phase }: Phase, at: number): Phase => ({
  ...phase,
  pauses: pauses.map(({ from, to }) => ({ from, to: to ?? Math.max(at, from) })),
});

function opened(last: Phase | undefined, reasons: PhaseReason[], definition: PhaseDefinition, at: number) {
  return { number: (last?.number ?? 0) + 1, startedAt: at, endedAt: null, reasons, definition };
}

/** Empty when nobody who takes part is moved: more traffic and a smaller holdout only add visitors. */
function reasonsForNewPhase(before: PhaseDefinition, after: PhaseDefinition): PhaseReason[] {
  const content = ({ variations }: PhaseDefinition) => variations.map(({ key, value }) => [key, value]);
  const weights = ({ variations }: PhaseDefinition) => variations.map(({ weight }) => weight);
  const reasons: [PhaseReason, boolean][] = [
    ['seed', before.hashSeed !== after.hashSeed],
    ['traffic', after.trafficAllocation < before.trafficAllocation],
    ['weights', !same(weights(before), weights(after))],
    ['variations', !same(content(before), content(after))],
    ['exclusion', !same(before.exclusion, after.exclusion)],
    ['holdout', holdsOutMore(before.holdout, after.holdout)],
  ];
  return reasons.flatMap(([reason, applies]) => (applies ? [reason] : []));
}

function holdsOutMore(before: Holdout | null, after: Holdout | null): boolean {
  if (after === null) return false;
  return before === null || before.seed !== after.seed || before.percentage < after.percentage;
}

/** Definitions are always built member by member in one order, so their text compares them. */
function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
