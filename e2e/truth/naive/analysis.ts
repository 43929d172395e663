import { type History, type Outcome, outcomeIdOf, type Setup, type TestSetup } from '../history.ts';
import { goalSums, sumsBefore } from './goal-sums.ts';
import { metricsOf, type VariationSums } from './metrics.ts';
import { type ParticipantValues, valuesOf } from './outcomes.ts';
import { isCounted, type ParticipantsOfPhase, participantsOf } from './participants.ts';
import type { Phase } from './phases.ts';
import { type Recorded, recordedUntil } from './recorded.ts';
import { holm, splitPValue } from './statistics.ts';

/** Everything known about a phase of a test at a moment, from the list of events alone. */
export class PhaseAnalysis {
  readonly setup: Setup;
  readonly test: TestSetup;
  readonly phase: Phase;
  readonly phases: Phase[];
  readonly recorded: Recorded;
  readonly participants: ParticipantsOfPhase;
  readonly values: ParticipantValues[];
  readonly now: number;

  constructor(setup: Setup, recorded: Recorded, test: TestSetup, phase: Phase, now: number) {
    this.setup = setup;
    this.test = test;
    this.phase = phase;
    this.phases = recorded.phases.get(test.key)!;
    this.recorded = recorded;
    this.participants = participantsOf(setup, recorded, test, phase);
    this.values = valuesOf(setup, recorded, test, this.participants);
    this.now = now;
  }

  /** Participants that are in the results. */
  counted(includeBots: boolean): ParticipantValues[] {
    return this.values.filter(
      ({ participant }) => isCounted(participant) && (includeBots || !participant.bot),
    );
  }

  /** Goals of the test with their role, in the order of the results. */
  get outcomes(): { id: string; outcome: Outcome; role: string; kind: GoalKind }[] {
    const { goals, guardrails } = this.test;
    return [
      ...goals.map((outcome, index) => ({ outcome, role: index === 0 ? 'primary' : 'secondary' })),
      ...guardrails.map((outcome) => ({ outcome, role: 'guardrail' })),
    ].map(({ outcome, role }) => ({
      id: outcomeIdOf(outcome),
      outcome,
      role,
      kind: kindOf(this.setup, outcome),
    }));
  }

  /** Sums of a goal by variation, over some of the participants. */
  sums(
    participants: readonly ParticipantValues[],
    outcome: Outcome,
  ): (VariationSums & ReturnType<typeof goalSums>)[] {
    return this.phase.variations.map(({ key }) => {
      const own = participants.filter(({ participant }) => participant.variationKey === key);
      const answers = typeof outcome === 'string' ? null : { feedbackType: outcome.feedbackType };
      return {
        key,
        visitors: own.length,
        ...goalSums(own, outcomeIdOf(outcome), false),
        answered: answers ? goalSums(own, outcomeIdOf(answers), false).converted : 0,
      };
    });
  }
}

export type GoalKind = 'count' | 'revenue' | 'answers' | 'option';

function kindOf({ goals }: Setup, outcome: Outcome): GoalKind {
  if (typeof outcome !== 'string') return outcome.option === undefined ? 'answers' : 'option';
  return goals.find(({ id }) => id === outcome)!.kind;
}

/** All phases of all tests that have started, at a moment. */
export function analysesOf(history: History, now: number): PhaseAnalysis[] {
  const recorded = recordedUntil(history, now);
  return history.setup.tests.flatMap((test) =>
    recorded.phases
      .get(test.key)!
      .map((phase) => new PhaseAnalysis(history.setup, recorded, test, phase, now)),
  );
}

/** What the results of a phase must contain. */
export function expectedResults(analysis: PhaseAnalysis, bots: 'exclude' | 'include') {
  const includeBots = bots === 'include';
  const { test, phase, phases, participants, values } = analysis;
  const counted = analysis.counted(includeBots);
  const crawlers = analysis.counted(true).filter(({ participant }) => participant.bot);
  const isOf = (key: string) => (it: ParticipantValues) => it.participant.variationKey === key;
  const active = phase.variations.filter(({ retired }) => !retired);
  const people = values.filter(({ participant }) => includeBots || !participant.bot);
  return {
    splitTestKey: test.key,
    asOf: analysis.now,
    phase: { number: phase.number, startedAt: phase.startedAt, endedAt: phase.endedAt },
    phases: phases.map(({ number, startedAt, endedAt }) => ({ number, startedAt, endedAt })),
    bots,
    variations: phase.variations.map(({ key, weight, retired }) => ({
      key,
      weight,
      ...(retired && { retired }),
      exposures: participants.exposures.filter((it) => it.variationKey === key && (includeBots || !it.bot))
        .length,
      visitors: counted.filter(isOf(key)).length,
      firstVisitors: people.filter(({ participant }) => participant.firstVariationKey === key).length,
      bots: crawlers.filter(isOf(key)).length,
    })),
    mixedVisitors: people.filter(({ participant }) => participant.variationKey === null).length,
    movedVisitors: people.filter(({ participant }) => participant.moved).length,
    health: {
      splitPValue: splitPValue(
        active.map(
          ({ key }) => people.filter(({ participant }) => participant.firstVariationKey === key).length,
        ),
        active.map(({ weight }) => weight),
      ),
    },
    goals: withAdjustedPValues(analysis, expectedGoals(analysis, counted)),
  };
}

function expectedGoals(analysis: PhaseAnalysis, counted: readonly ParticipantValues[]) {
  return analysis.outcomes.map(({ id, outcome, role, kind }) => {
    const sums = analysis.sums(counted, outcome);
    return {
      goalId: id,
      role,
      counts: sums.map(({ answered, ...rest }) => ({
        ...rest,
        ...(typeof outcome !== 'string' && { answered }),
      })),
      metrics: metricsOf(kind, sums, { statistics: statisticsFor(analysis, role) }),
    };
  });
}

type ExpectedGoal = ReturnType<typeof expectedGoals>[number];

/** Holm's correction over the variations and the goals of the same role, where all of them have a p-value. */
function withAdjustedPValues({ setup }: PhaseAnalysis, goals: readonly ExpectedGoal[]): ExpectedGoal[] {
  for (const role of ['primary', 'secondary', 'guardrail']) {
    const results = goals
      .filter((goal) => goal.role === role)
      .flatMap(({ metrics }) => metrics[0]!.variations.slice(1));
    const pValues = results.map(({ pValue }) => pValue);
    if (pValues.includes(undefined)) continue;
    const adjusted = setup.statistics.correction === 'holm' ? holm(pValues as number[]) : pValues;
    for (const [index, result] of results.entries())
      Object.assign(result, { adjustedPValue: adjusted[index] });
  }
  return [...goals];
}

/** With CUPED the comparison uses more than these sums. Guardrails are always compared as if looked at every day. */
function statisticsFor({ setup }: PhaseAnalysis, role: string) {
  const { statistics } = setup;
  if (statistics.cuped) return null;
  return role === 'guardrail' ? { ...statistics, engine: 'sequential' as const } : statistics;
}

/** The groups of a bundle, without the difference between early and late visitors; by what they have in common. */
export function expectedGroups(analysis: PhaseAnalysis) {
  const { values, setup } = analysis;
  const groups = new Map<string, ParticipantValues[]>();
  for (const value of values) {
    const { variationKey, firstVariationKey, moved, returning, bot } = value.participant;
    const key = JSON.stringify({ variationKey, firstVariationKey, moved, returning, bot });
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  const { cuped } = setup.statistics;
  const measured = analysis.outcomes.map(({ id }) => id);
  return Object.fromEntries(
    [...groups].map(([key, own]) => {
      const hasSums = isCounted(own[0]!.participant);
      const goals = hasSums ? measured.map((id) => [id, goalSums(own, id, cuped)]) : [];
      return [
        key,
        {
          visitors: own.length,
          ...(hasSums && cuped && { before: sumsBefore(own) }),
          goals: Object.fromEntries(goals),
        },
      ];
    }),
  );
}
