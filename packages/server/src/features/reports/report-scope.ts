import type { StatisticsSettings } from '@switchyard/core/api/statistics';
import type { Phase } from '@switchyard/core/lifecycle/phases';
import { feedbackGoalId } from '@switchyard/core/stats/report/feedback-goal';
import { plannedFor } from '@switchyard/core/stats/report/report';
import type { ReportGoal, ReportInput } from '@switchyard/core/stats/report/report-input';
import { DAY_MS } from '@switchyard/core/time';
import { timeZone } from '@switchyard/core/time-zone';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { reportGoals } from '../../configuration/property/report-goals.ts';
import type { MetricTerm } from '../../events/store/metric-queries.ts';
import type {
  DayRange,
  FeedbackGoal,
  SplitTestPhase,
  SplitTestQuery,
} from '../../events/store/split-test-queries.ts';
import { invalidField } from '../../platform/errors/errors.ts';
import { metricTerm } from './metric-terms.ts';
import { type ReportedTest, reportedTests } from './reported-test.ts';

const NO_END = Number.MAX_SAFE_INTEGER;
/** Visitors of the first days are compared with later ones. */
const EARLY_DAYS = 3;
/** Older days are combined. */
const MAX_DAYS = 366;
/** Visitors are compared within this many groups at most; smaller groups are combined. */
const MAX_STRATA = 20;
/** Older tests say less about the next one, and each takes a count. */
const MAX_FINISHED = 50;

type PhaseSummary = Omit<Phase, 'definition'>;

/** One phase of a test with the settings that a report needs, small enough to send to another thread. */
export interface ReportScope {
  readonly statistics: StatisticsSettings;
  readonly currency: string;
  readonly test: Pick<
    ReportedTest,
    'key' | 'status' | 'winner' | 'attributionDays' | 'smallestEffect' | 'plannedVisitors' | 'measuredRule'
  >;
  readonly phases: readonly PhaseSummary[];
  /** Null before the test first ran. */
  readonly phase: PhaseSummary | null;
  readonly variations: ReportInput['variations'];
  readonly goals: readonly ReportGoal[];
  /** Query for the event store. */
  readonly query: SplitTestQuery;
  /** What the metrics among the goals compute; the event store is asked for them separately. */
  readonly metrics: readonly MetricTerm[];
  /** The days of a series. */
  readonly localDays: DayRange;
  /** Finished tests that the prior is learnt from; empty unless the method needs one. */
  readonly finished: readonly PhaseScope[];
}

/** The same without the tests that the prior is learnt from. */
export type PhaseScope = Omit<ReportScope, 'finished'>;

export function scopeOf(
  property: PropertyConfiguration,
  test: ReportedTest,
  phaseNumber: number | undefined,
  now: number,
): ReportScope {
  return {
    ...phaseScope(property, test, phaseNumber, now),
    finished: finishedTests(property, test).map((it) => phaseScope(property, it, undefined, now)),
  };
}

/** The last tests that have ended, if the prior is learnt from them. */
function finishedTests(property: PropertyConfiguration, test: ReportedTest): ReportedTest[] {
  const { statistics } = property;
  if (statistics.engine !== 'bayesian' || statistics.prior !== null) return [];
  const endOf = ({ phases }: ReportedTest) => phases.at(-1)?.endedAt ?? null;
  return reportedTests(property)
    .filter((it) => it.key !== test.key && endOf(it) !== null)
    .toSorted((a, b) => endOf(b)! - endOf(a)!)
    .slice(0, MAX_FINISHED);
}

export function phaseScope(
  property: PropertyConfiguration,
  test: ReportedTest,
  phaseNumber: number | undefined,
  now: number,
): PhaseScope {
  const phase = phaseOf(test, phaseNumber);
  const { key, status, winner, attributionDays, smallestEffect, plannedVisitors, measuredRule } = test;
  const variations = (phase?.definition.variations ?? test.variations).map((it) => ({
    key: it.key,
    weight: it.weight,
    ...(it.retired && { retired: it.retired }),
  }));
  const goals = reportGoals(property, test);
  return {
    statistics: property.statistics,
    currency: property.displayCurrency,
    test: {
      key,
      status,
      winner,
      attributionDays,
      smallestEffect,
      plannedVisitors,
      ...(measuredRule && { measuredRule }),
    },
    phases: test.phases.map(summaryOf),
    phase: phase ? summaryOf(phase) : null,
    variations,
    goals,
    query: queryOf(property, test, phase, variations, goals, now),
    metrics: metricsOf(property, goals),
    localDays: localDays(property, test, phase, now),
  };
}

function phaseOf({ phases }: ReportedTest, number: number | undefined): Phase | undefined {
  if (number === undefined) return phases.at(-1);
  const phase = phases.find((it) => it.number === number);
  if (phase !== undefined) return phase;
  throw invalidField(
    '/phase',
    `The test has ${phases.length === 1 ? 'one phase' : `${phases.length} phases`}.`,
  );
}

const summaryOf = ({ definition: _definition, ...summary }: Phase): PhaseSummary => summary;

function metricsOf({ metrics }: PropertyConfiguration, goals: readonly ReportGoal[]): MetricTerm[] {
  const used = new Set(goals.flatMap((goal) => (goal.kind === 'metric' ? [goal.metricId] : [])));
  return metrics.filter(({ id }) => used.has(id)).map(metricTerm);
}

/** An option is compared with everyone who answered, so they are always counted too. */
function feedbackOf(goals: readonly ReportGoal[]): FeedbackGoal[] {
  const feedback = goals.flatMap((goal): FeedbackGoal[] => {
    if (goal.kind !== 'feedback') return [];
    const { id, feedbackTypeId, option } = goal;
    const answered = { goalId: feedbackGoalId(feedbackTypeId), feedbackTypeId };
    return option === null ? [answered] : [answered, { goalId: id, feedbackTypeId, option }];
  });
  return [...new Map(feedback.map((it) => [it.goalId, it])).values()];
}

function queryOf(
  property: PropertyConfiguration,
  test: ReportedTest,
  phase: Phase | undefined,
  variations: ReportScope['variations'],
  goals: readonly ReportGoal[],
  now: number,
): SplitTestQuery {
  const { cuped, preDays, winsorize, stratify } = property.statistics;
  const feedback = feedbackOf(goals);
  const isLatest = phase === undefined || phase === test.phases.at(-1);
  const isFirst = phase === undefined || phase === test.phases[0];
  const endedAt = phase?.endedAt ?? null;
  const until = endOf(test, endedAt);
  return {
    propertyId: property.id,
    splitTestKey: test.key,
    variationKeys: variations.map(({ key }) => key),
    phase: phase?.number ?? 1,
    // Client clocks may be wrong: exposures dated before the first phase or after the last belong to that phase.
    from: isFirst && test.measuredRule === undefined ? 0 : (phase?.startedAt ?? 0),
    // A flag or rule that was deleted may have had the same key.
    ...(test.measuredRule && { beganAt: test.phases[0]?.startedAt ?? 0 }),
    to: isLatest ? NO_END : (endedAt ?? NO_END),
    startedAt: phase?.startedAt ?? 0,
    endsAt: endedAt ?? NO_END,
    until,
    hasEarlierPhases: !isFirst,
    hasLaterPhases: !isLatest,
    unit: phase?.definition.unit ?? test.unit,
    days: daysOf(phase?.startedAt ?? 0, Math.min(until, now)),
    goalIds: goals.filter(({ kind }) => kind === 'count' || kind === 'revenue').map(({ id }) => id),
    revenueGoalIds: goals.filter(({ kind }) => kind === 'revenue').map(({ id }) => id),
    ...(feedback.length > 0 && { feedback }),
    earlyDays: EARLY_DAYS,
    preDays: cuped ? preDays : 0,
    ...(cuped && {
      relatedTests: relatedTests(property, test),
      covariateGoalIds: property.goals.filter(({ kind }) => kind === 'revenue').map(({ id }) => id),
    }),
    ...(winsorize === null ? {} : { winsorize }),
    ...(stratify.length > 0 && { by: { attributes: stratify, max: MAX_STRATA } }),
  };
}

/** Tests that have had the same seed, such as the one that a test was duplicated from: their visitors saw the same. */
function relatedTests({ splitTests }: PropertyConfiguration, test: ReportedTest): string[] {
  const seeds = seedsOf(test);
  return splitTests
    .filter((it) => it.key !== test.key && seedsOf(it).some((seed) => seeds.includes(seed)))
    .map(({ key }) => key);
}

const seedsOf = ({ hashSeed, phases }: Pick<ReportedTest, 'hashSeed' | 'phases'>) => [
  hashSeed,
  ...phases.map(({ definition }) => definition.hashSeed),
];

/** When outcomes of a phase stop to count. */
const endOf = ({ attributionDays }: ReportedTest, endedAt: number | null) =>
  endedAt === null ? NO_END : endedAt + attributionDays * DAY_MS;

/** The days of the phase in the time zone of the property. */
function localDays(
  property: PropertyConfiguration,
  test: ReportedTest,
  phase: Phase | undefined,
  now: number,
): DayRange {
  const zone = timeZone(property.timeZone);
  const end = Math.min(endOf(test, phase?.endedAt ?? null), now);
  return { ...daysOf(zone.local(phase?.startedAt ?? 0), zone.local(end)), timeZone: zone.name };
}

/** The days of the phase, by the server's clock. */
function daysOf(startedAt: number, end: number): DayRange {
  const midnight = (time: number) => time - (time % DAY_MS);
  const to = midnight(end);
  return { from: Math.min(to, Math.max(midnight(startedAt), to - (MAX_DAYS - 1) * DAY_MS)), to, step: 1 };
}

export function reportInput(
  { statistics, currency, test, phase, variations, goals, query }: PhaseScope,
  { groups, exposures, metrics }: Pick<ReportInput, 'groups' | 'exposures' | 'metrics'>,
  asOf: number,
  includeBots: boolean,
): ReportInput {
  return {
    variations,
    goals,
    statistics,
    smallestEffect: test.smallestEffect,
    plannedVisitors: plannedFor(test.plannedVisitors, variations),
    includeBots,
    currency,
    groups,
    ...(metrics && { metrics }),
    exposures,
    startedAt: phase ? Math.max(phase.startedAt, query.days.from) : asOf,
    endedAt: phase?.endedAt ?? null,
    ...(phase?.pauses && { pauses: phase.pauses }),
    asOf,
  };
}

/** The members of a query that decide about its visitors. */
export function phaseOfQuery(query: SplitTestQuery): SplitTestPhase {
  return {
    splitTestKey: query.splitTestKey,
    variationKeys: query.variationKeys,
    phase: query.phase,
    from: query.from,
    to: query.to,
    ...(query.beganAt !== undefined && { beganAt: query.beganAt }),
    endsAt: query.endsAt,
    until: query.until,
    hasEarlierPhases: query.hasEarlierPhases,
    hasLaterPhases: query.hasLaterPhases,
    ...(query.unit && { unit: query.unit }),
  };
}
