import type { AssignmentSteps, AudienceStep, RangeStep, SplitTestExplanation } from '../api/explanations.ts';
import { servingOf } from '../lifecycle/serving.ts';
import type { SplitTestStatus } from '../lifecycle/status.ts';
import { type AssignableTest, type Assignment, assign, type Holdout } from './assignment.ts';
import { smallHashFraction } from './small-hash.ts';

/** A split test as it was at a moment. */
export interface ExplainableTest {
  readonly status: SplitTestStatus;
  readonly winner: string | null;
  /** Its latest phase; null before the first start. */
  readonly phase: number | null;
  readonly definition: AssignableTest & { readonly exclusion?: { readonly group: string } | undefined };
  readonly holdout?: Holdout | undefined;
  /** Whether the visitor belongs to the audience; passed in, because pages must not load what explains conditions. */
  readonly audience?: AudienceStep | undefined;
}

interface Ids {
  visitorId: string | undefined;
  userId: string | undefined;
}

type ExplainedAssignment = Pick<SplitTestExplanation, 'included' | 'variation' | 'reason' | 'steps'>;

/**
 * Assigns a visitor and tells how. The result is that of `assign`; while the test is not running, the steps show what
 * it would be.
 *
 * @example explainAssignment(test, 'visitor-1').reason // 'TRAFFIC'
 */
export function explainAssignment(
  test: ExplainableTest,
  visitorId: string | undefined,
  userId?: string,
): ExplainedAssignment {
  const { definition, winner } = test;
  const assignment = visitorId === undefined ? undefined : assignmentIn(test, visitorId, userId);
  const steps = stepsOf(test, { visitorId, userId }, assignment);
  const serving = servingOf(test);
  if (serving === 'nothing') return { included: false, variation: null, reason: 'NOT_RUNNING', steps };
  if (serving === 'winner') return { included: false, variation: winner, reason: 'WINNER', steps };
  const variation = definition.variations[assignment?.index ?? 0]?.key ?? null;
  return { included: assignment?.included ?? false, variation, reason: reasonOf(steps, assignment), steps };
}

function assignmentIn(
  { definition, holdout, audience }: ExplainableTest,
  visitorId: string,
  userId: string | undefined,
): Assignment {
  if (audience?.passed === false) return { included: false, index: 0 };
  return assign(definition, visitorId, holdout, userId);
}

/** Where a visitor is within 0 to 100; not shared with `assign`, because every byte counts in pages. */
const pointOf = (seed: string, visitorId: string) => smallHashFraction(`${seed}:${visitorId}`) * 100;

function reasonOf(
  { holdout, exclusion, audience, traffic, variations }: AssignmentSteps,
  assignment: Assignment | undefined,
): ExplainedAssignment['reason'] {
  if (assignment === undefined) return 'NO_VISITOR';
  if (holdout?.passed === false) return 'HOLDOUT';
  if (exclusion?.passed === false) return 'EXCLUSION_GROUP';
  if (audience?.passed === false) return 'AUDIENCE';
  if (traffic?.passed === false) return 'TRAFFIC';
  if (assignment.included) return 'ASSIGNED';
  return variations.some(({ weight }) => weight > 0) ? 'RETIRED' : 'NO_WEIGHT';
}

function stepsOf(
  { status, winner, phase, definition, holdout, audience }: ExplainableTest,
  { visitorId, userId }: Ids,
  assignment: Assignment | undefined,
): AssignmentSteps {
  const { hashSeed, trafficAllocation, exclusion } = definition;
  const isByUser = definition.unit === 'user' && userId !== undefined && userId !== '';
  const unitId = visitorId !== undefined && isByUser ? userId : visitorId;
  const range = (seed: string, from: number, to: number, id = visitorId): RangeStep | null => {
    if (id === undefined) return null;
    const bucket = pointOf(seed, id);
    return { bucket, from, to, passed: bucket >= from && bucket < to };
  };
  const slot = exclusion && range(`exclusion:${exclusion.seed}`, exclusion.from, exclusion.to);
  return {
    status,
    winner,
    phase,
    holdout: holdout ? inverted(range(`holdout:${holdout.seed}`, 0, holdout.percentage)) : null,
    exclusion: exclusion && slot ? { ...slot, group: exclusion.group } : null,
    audience: audience ?? null,
    assignedBy: unitId === undefined ? null : isByUser ? 'userId' : 'visitorId',
    traffic: range(`${hashSeed}:traffic`, 0, trafficAllocation, unitId),
    variations: rangesOf(definition, assignment),
    variationBucket: unitId === undefined ? null : pointOf(`${hashSeed}:variation`, unitId),
  };
}

/** Visitors within the range of the holdout do not take part. */
const inverted = (step: RangeStep | null) => step && { ...step, passed: !step.passed };

function rangesOf({ variations }: AssignableTest, assignment: Assignment | undefined) {
  const total = variations.reduce((sum, { weight }) => sum + Math.max(weight, 0), 0);
  let before = 0;
  return variations.map(({ key, weight, retired }, index) => {
    const from = total > 0 ? (before / total) * 100 : 0;
    before += Math.max(weight, 0);
    const to = total > 0 ? (before / total) * 100 : 0;
    const chosen = assignment?.included === true && assignment.index === index;
    return { key, weight, from, to, chosen, ...(retired && { retired }) };
  });
}
