import type { GuardedRollout } from '@switchyard/core/api/results/guarded-rollouts';
import type { HarmedVariation } from '@switchyard/core/api/webhook-payloads';
import { ON } from '@switchyard/core/evaluation/measured-rules';
import { type ReportedRolloutPhase, rolloutPhase } from '@switchyard/core/stats/report/rollout-report';
import { decideRollout, type RolloutDecision } from '@switchyard/core/stats/rollout/guarded-rollout';
import { describeHarm } from '@switchyard/core/stats/words/harm-words';
import { describeRolloutDecision } from '@switchyard/core/stats/words/rollout-words';
import { harmedGoal } from '../harm-report.ts';
import type { ReportInputs } from '../report-inputs.ts';
import type { PhaseScope } from '../report-scope.ts';
import type { RolloutScope } from './rollout-scope.ts';

/** Past phases change only by late conversions. */
const PAST_MAX_AGE_MS = 60 * 60 * 1000;

/** What a look at a rollout found. */
export interface RolloutLook {
  readonly decision: RolloutDecision;
  /** Why, in words. */
  readonly words: string;
  /** Only if it is to be rolled back. */
  readonly harms: HarmedVariation[];
  readonly phases: GuardedRollout['phases'];
  /** Time of the counts. */
  readonly asOf: number;
}

/** What to do with a rollout now, and what there was to do at the end of each of its phases. */
export async function rolloutLook(
  inputs: ReportInputs,
  scope: RolloutScope,
  changes: number,
): Promise<RolloutLook> {
  const reported: ReportedRolloutPhase[] = [];
  let asOf = scope.now;
  for (const [at, phase] of scope.phases.entries()) {
    const age = phase.phase?.endedAt === null ? {} : { maxAgeMs: PAST_MAX_AGE_MS };
    const policy = { changes, fresh: false, ...age };
    const take = (each: PhaseScope) => inputs.prepare({ ...each, finished: [] }, false, policy);
    const { input } = await take(asIfFirst(phase));
    const isFirst = scope.skippedPhases + at === 0;
    reported.push(rolloutPhase(input, isFirst ? undefined : (await take(phase)).input));
    asOf = input.asOf;
  }
  const decisions = reported.map((_, at) => decisionAfter(scope, reported, at));
  const phases = reported.map((phase, at) => phaseResponse(scope, phase, at, decisions[at]!));
  const { decision, words, harms } = decisions.at(-1) ?? NOBODY_YET;
  return { decision, words, harms, phases, asOf };
}

/** Nobody has moved: what matters is what they do at this percentage. */
const asIfFirst = (phase: PhaseScope): PhaseScope => ({
  ...phase,
  query: { ...phase.query, hasEarlierPhases: false },
});

type Decided = Pick<RolloutLook, 'decision' | 'words' | 'harms'>;

const NOBODY_YET: Decided = {
  decision: { action: 'wait', reason: 'not-due' },
  words: 'Nobody has it yet.',
  harms: [],
};

/** As it is decided with the data of a phase and of those before. */
function decisionAfter(scope: RolloutScope, all: readonly ReportedRolloutPhase[], at: number): Decided {
  const phases = all.slice(0, at + 1);
  const present = phases.at(-1)!;
  const { minVisitors, maxWaitDays, plannedPhases, skippedPhases, lostGuardrails } = scope;
  const isPresent = at === all.length - 1;
  const now = isPresent ? scope.now : scope.phases[at + 1]!.phase!.startedAt;
  const following = all[at + 1];
  const next = isPresent ? scope.next : { percentage: following!.percentage, at: now };
  const rollout = {
    guardrails: present.guardrails.map(({ goal: { id, maxHarm } }) => ({ id, maxHarm: maxHarm ?? 0 })),
    phases,
    skippedPhases,
    plannedPhases,
    next,
    minVisitors,
    maxWaitDays,
  };
  const decision = decideRollout(rollout, now);
  if (decision.action === 'roll-back') {
    const harm = harmIn(phases, decision.harmed, scope);
    return { decision, words: harm.words, harms: [harm] };
  }
  if (lostGuardrails > 0 && (decision.action === 'go' || decision.action === 'wait')) {
    const words = 'A guardrail is a goal or metric that does not exist any more.';
    return { decision: { action: 'wait', reason: 'not-comparable' }, words, harms: [] };
  }
  return { decision, words: describeRolloutDecision(decision, present, { minVisitors }), harms: [] };
}

/** The figures of the last phase in which it got worse. */
function harmIn(
  phases: readonly ReportedRolloutPhase[],
  harmed: readonly string[],
  scope: RolloutScope,
): HarmedVariation {
  const goals = harmed.map((id) => {
    const found = phases.flatMap(({ isComparable, guardrails }) =>
      guardrails.flatMap(({ goal, worse }) => (isComparable && goal.id === id && worse ? [worse] : [])),
    );
    return found.at(-1)!;
  });
  const words = describeHarm(goals, scope.phases[0]!.currency);
  return { variation: ON, goals: goals.map(harmedGoal), words };
}

function phaseResponse(
  { phases }: RolloutScope,
  { percentage, visitorsInside, visitorsOutside, guardrails }: ReportedRolloutPhase,
  at: number,
  { decision, words }: Decided,
): GuardedRollout['phases'][number] {
  const { number, startedAt, endedAt } = phases[at]!.phase!;
  return {
    phase: number,
    startedAt,
    endedAt,
    percentage,
    visitorsInside,
    visitorsOutside,
    guardrails: guardrails.map(({ goal }) => {
      const { goalId, name, control, variation, improvement, unit, maxHarm } = harmedGoal(goal);
      return { goalId, name, outside: control, inside: variation, improvement, unit, maxHarm };
    }),
    action: decision.action,
    words,
  };
}
