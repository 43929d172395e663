import type { HoldoutReport } from '@switchyard/core/api/holdout';
import type { StatisticsSettings } from '@switchyard/core/api/statistics';
import { type HoldoutGoalInput, holdoutReport } from '@switchyard/core/stats/report/holdout-report';
import type {
  HoldoutPeriod,
  PropertyConfiguration,
  SplitTest,
} from '../../configuration/property/property-configuration.ts';
import type { AssignmentCounts, AssignmentQuery } from '../../events/store/assignment-queries.ts';
import { assignedGroups } from './aa-report.ts';

const NO_END = Number.MAX_SAFE_INTEGER;
const MAX_GOALS = 100;
const MAX_WINNERS = 100;
/** Counting this many takes seconds; of more visitors, a random sample is counted. */
const MAX_SESSIONS = 1_000_000;

/** The holdout of a property, small enough to send to another thread. */
export interface HoldoutScope {
  readonly percentage: number;
  readonly period: HoldoutPeriod;
  readonly statistics: StatisticsSettings;
  readonly currency: string;
  readonly goals: readonly HoldoutGoalInput[];
  readonly winners: HoldoutReport['winners'];
  /** Query for the event store. */
  readonly query: AssignmentQuery;
}

/** Undefined without a holdout. */
export function holdoutScope(property: PropertyConfiguration): HoldoutScope | undefined {
  const { holdout: percentage, holdoutPeriod: period, statistics, displayCurrency, splitTests } = property;
  if (period === null) return undefined;
  const goals = property.goals
    .slice(0, MAX_GOALS)
    .map(({ id, name, kind, lowerIsBetter }) => ({ id, name, kind, lowerIsBetter }));
  return {
    percentage,
    period,
    statistics,
    currency: displayCurrency,
    goals,
    winners: winnersSince(splitTests, period.since),
    query: {
      propertyId: property.id,
      split: {
        kind: 'holdout',
        holdout: { seed: property.hashSeed, percentage },
        largest: period.largest,
      },
      from: period.since,
      // Without the present time, so that the same query can be cached.
      to: NO_END,
      goalIds: goals.map(({ id }) => id),
      revenueGoalIds: goals.filter(({ kind }) => kind === 'revenue').map(({ id }) => id),
      maxSessions: MAX_SESSIONS,
    },
  };
}

/** Tests that ended with a winner, newest first. */
function winnersSince(tests: readonly SplitTest[], since: number): HoldoutReport['winners'] {
  return tests
    .flatMap(({ key, name = key, winner, decision, phases }) => {
      const endedAt = phases.at(-1)?.endedAt ?? null;
      if (winner === null || endedAt === null || endedAt < since) return [];
      return [{ splitTestKey: key, name, winner, decidedAt: decision?.decidedAt ?? endedAt }];
    })
    .sort((a, b) => b.decidedAt - a.decidedAt)
    .slice(0, MAX_WINNERS);
}

/** The report of the counts. */
export function holdoutResponse(
  { percentage, period, statistics, currency, goals, winners }: HoldoutScope,
  counts: AssignmentCounts,
  asOf: number,
): HoldoutReport {
  return holdoutReport({
    percentage,
    largest: period.largest,
    since: period.since,
    asOf,
    share: counts.share,
    statistics,
    currency,
    goals,
    groups: assignedGroups(counts),
    winners: [...winners],
  });
}
