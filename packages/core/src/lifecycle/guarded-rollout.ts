import type { Measure, Rollout, Rule } from '../api/targeting.ts';
import { hasComparison, isGuarded } from '../evaluation/measured-rules.ts';
import type { Phase } from './phases.ts';

type Guardrails = NonNullable<Rollout['guardrails']>;

/** How a rollout with guardrails ended. */
export interface RolloutEnd {
  /** `finished`: everybody has it. `stayed`: it waited for as long as it may. */
  readonly action: 'rolled-back' | 'stayed' | 'finished';
  readonly at: number;
  readonly from: number;
  readonly percentage: number;
  /** As in the history. */
  readonly words: string;
}

/** What a rollout with guardrails was going to be when it began; derived by the writer. */
export interface GuardedRolloutPlan {
  readonly startedAt: number;
  /** Number of the phase that it began with. */
  readonly firstPhase: number;
  readonly percentage: number;
  readonly schedule: NonNullable<Rollout['schedule']>;
  readonly guardrails: Guardrails;
  readonly ended?: RolloutEnd;
}

/** Days that a step waits for enough data, unless the rollout says something else. */
export const DEFAULT_WAIT_DAYS = 14;

/** Later than this, a step moves those after it. */
const LATE_MS = 5 * 60 * 1000;

const percentagesOf = ({ percentage, schedule = [] }: Pick<Rollout, 'percentage' | 'schedule'>): number[] => [
  percentage,
  ...schedule.map((step) => step.percentage),
];

const isSame = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);

const isEndOf = (end: readonly unknown[], whole: readonly unknown[]) =>
  end.length <= whole.length && isSame(end, whole.slice(whole.length - end.length));

/** The number of percentages at which there is somebody inside and somebody outside. */
export const plannedPhases = (plan: GuardedRolloutPlan): number =>
  percentagesOf(plan).filter((percentage) => percentage > 0 && percentage < 100).length;

/** The plan after a change of the rule: a change of the steps or of the guardrails begins another rollout. */
export function advancePlan(
  known: GuardedRolloutPlan | undefined,
  rule: Rule,
  phases: readonly Phase[],
  at: number,
): GuardedRolloutPlan | undefined {
  const { rollout } = rule;
  const phase = phases.at(-1);
  if (rollout?.guardrails === undefined || phase === undefined || !hasComparison(rule)) return known;
  if (rollout.schedule === undefined && known !== undefined) return known;
  if (known !== undefined && known.ended === undefined && isContinued(known, rollout)) return known;
  return {
    startedAt: at,
    firstPhase: phase.number,
    percentage: rollout.percentage,
    schedule: rollout.schedule ?? [],
    guardrails: rollout.guardrails,
  };
}

const isContinued = (plan: GuardedRolloutPlan, rollout: Rollout) =>
  isSame(plan.guardrails, rollout.guardrails) && isEndOf(percentagesOf(rollout), percentagesOf(plan));

/** The rollout after its next step. If that is late, those after it are as much later: each needs data of its own. */
export function takeGuardedStep({ schedule = [], ...rollout }: Rollout, now: number): Rollout {
  const [step, ...others] = schedule;
  if (step === undefined) return rollout;
  const { percentage } = step;
  if (percentage >= 100) return { ...withoutGuardrails(rollout), percentage };
  // Of nobody, there is no data to wait for.
  const delay = rollout.percentage > 0 && now - step.at > LATE_MS ? now - step.at : 0;
  const later = others.map((each) => ({ ...each, at: each.at + delay }));
  return { ...rollout, percentage, ...(later.length > 0 && { schedule: later }) };
}

/** Without steps and guardrails. */
export function withoutGuardrails(rollout: Rollout): Rollout {
  const {
    schedule: _steps,
    guardrails: _guardrails,
    minVisitors: _min,
    maxWaitDays: _wait,
    ...rest
  } = rollout;
  return rest;
}

/** Without steps: harm still rolls back. */
export function stayingRollout({ schedule: _steps, ...rollout }: Rollout): Rollout {
  return rollout;
}

/**
 * The rollout that a request or file means: where the stored one is by now, if what is given is the same rollout as it
 * was before. So a file can be applied again at any time, also after a roll-back; to begin again, its steps need other
 * times.
 */
export function resumedRollout(
  given: Rollout,
  stored: Rollout | undefined,
  plan: GuardedRolloutPlan | undefined,
  now: number,
): Rollout {
  if (!isGuarded(given) || stored === undefined) return given;
  const isKnown =
    plan?.ended === undefined
      ? isSame(stored.guardrails, given.guardrails) && isBehind(given, stored, now)
      : isSame(plan.guardrails, given.guardrails) && (isBeginning(given, plan) || isMiddle(given, plan));
  return isKnown ? movedTo(stored, given) : given;
}

/** Whether the steps that are missing in the stored one were due, so that they have been made. */
function isBehind(given: Rollout, stored: Rollout, now: number): boolean {
  const [all, left] = [percentagesOf(given), percentagesOf(stored)];
  const made = given.schedule?.slice(0, all.length - left.length) ?? [];
  return left.length < all.length && isEndOf(left, all) && made.every(({ at }) => at <= now);
}

/** A plan may leave out that nobody had it in the beginning. */
const isBeginning = (given: Rollout, plan: GuardedRolloutPlan) =>
  isEndOf(percentagesOf(plan), percentagesOf(given)) && isEndOf(plan.schedule, given.schedule ?? []);

/** What a file has that was exported while it ran: the steps that were left, all of them as late. */
function isMiddle(given: Rollout, plan: GuardedRolloutPlan): boolean {
  const { schedule = [] } = given;
  if (schedule.length === 0 || !isEndOf(percentagesOf(given), percentagesOf(plan))) return false;
  const planned = plan.schedule.slice(-schedule.length);
  const [delay = 0, ...others] = schedule.map(({ at }, index) => at - planned[index]!.at);
  const longest = plan.ended!.at - plan.startedAt;
  return delay >= 0 && delay <= longest && others.every((each) => each === delay);
}

/** Where the stored one is, with the settings that do not change its steps. */
function movedTo({ percentage, schedule, guardrails }: Rollout, given: Rollout): Rollout {
  const { minVisitors, maxWaitDays } = given;
  return {
    ...withoutGuardrails(given),
    percentage,
    ...(schedule && { schedule }),
    ...(guardrails && {
      guardrails,
      ...(minVisitors !== undefined && { minVisitors }),
      ...(maxWaitDays !== undefined && { maxWaitDays }),
    }),
  };
}

/** What the rule is measured by, by itself and by the guardrails of its rollout; undefined if by nothing. */
export function measureOf({ measure, rollout }: Rule): Measure | undefined {
  if (rollout?.guardrails === undefined) return measure;
  const { goals = [], guardrails = [], ...rest } = measure ?? {};
  const known = new Set([...goals, ...guardrails].map(identityOf));
  const added = rollout.guardrails.filter((each) => !known.has(identityOf(each)));
  return { ...rest, goals, guardrails: [...guardrails, ...added] };
}

function identityOf(outcome: Measure['goals'][number] | Guardrails[number]): string {
  if (typeof outcome === 'string') return outcome;
  if ('goalId' in outcome) return outcome.goalId;
  if ('metric' in outcome) return `metric ${outcome.metric}`;
  return `feedback ${JSON.stringify([outcome.feedbackType, outcome.option])}`;
}
