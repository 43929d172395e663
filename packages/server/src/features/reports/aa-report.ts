import { AA_TEST_KEY, aaTestOf } from '@switchyard/core/lifecycle/aa-test';
import { AA_STATISTICS } from '@switchyard/core/stats/report/aa-method';
import { type AaVerdict, aaVerdict } from '@switchyard/core/stats/report/aa-verdict';
import { buildReport } from '@switchyard/core/stats/report/report';
import { exposuresByDay } from '@switchyard/core/stats/report/report-days';
import type { ReportInput } from '@switchyard/core/stats/report/report-input';
import type { AssignmentCounts } from '../../events/store/assignment-queries.ts';
import type { EventQueries } from '../../events/store/event-store.ts';
import type { AaScope } from './aa-scope.ts';

/** Assigning this many visitors takes seconds; more would hardly make the verdict more precise. */
const MAX_SESSIONS = 500_000;

/** Exposures of a day on which pages took part. */
const MIN_DAY = 20;

/** Counts the round so far and judges it. */
export async function aaReport(eventStore: EventQueries, scope: AaScope): Promise<AaVerdict> {
  const { mode, currency } = scope;
  const { share, ...counts } =
    mode === 'assignment' ? await countAssigned(eventStore, scope) : await countExposed(eventStore, scope);
  const report = buildReport({
    variations: aaTestOf(scope, scope.round).variations,
    goals: scope.goals,
    statistics: AA_STATISTICS,
    smallestEffect: null,
    plannedVisitors: null,
    includeBots: false,
    endedAt: null,
    ...counts,
    asOf: scope.until,
  });
  return aaVerdict({ mode, share, currency, report });
}

type Counts = Pick<ReportInput, 'groups' | 'exposures' | 'startedAt'> & Pick<AssignmentCounts, 'share'>;

const goalIdsOf = ({ goals }: AaScope) => ({
  goalIds: goals.map(({ id }) => id),
  revenueGoalIds: goals.filter(({ kind }) => kind === 'revenue').map(({ id }) => id),
});

async function countAssigned(eventStore: EventQueries, scope: AaScope): Promise<Counts> {
  const { propertyId, round, until } = scope;
  const counted = await eventStore.assignmentCounts({
    propertyId,
    split: { kind: 'test', test: aaTestOf(scope, round) },
    from: round.startedAt,
    to: until,
    ...goalIdsOf(scope),
    maxSessions: MAX_SESSIONS,
  });
  return {
    groups: assignedGroups(counted),
    exposures: [],
    startedAt: round.startedAt,
    share: counted.share,
  };
}

/** As groups of a report. */
export const assignedGroups = ({ groups }: AssignmentCounts): ReportInput['groups'] =>
  groups.map(({ key, visitors, goals }) => ({
    variationKey: key,
    bot: false,
    early: false,
    visitors,
    goals,
  }));

async function countExposed(eventStore: EventQueries, scope: AaScope): Promise<Counts> {
  const { propertyId, round, until } = scope;
  const { startedAt, endsAt } = round;
  const { groups, exposures } = await eventStore.splitTestCounts({
    propertyId,
    splitTestKey: AA_TEST_KEY,
    phase: round.number,
    variationKeys: aaTestOf(scope, round).variations.map(({ key }) => key),
    from: startedAt,
    to: endsAt,
    startedAt,
    endsAt,
    until,
    // Each round has a seed of its own.
    hasEarlierPhases: false,
    hasLaterPhases: false,
    // With the day that is not over, which is not checked for gaps.
    days: { from: startedAt, to: until, step: 1 },
    ...goalIdsOf(scope),
    earlyDays: 0,
    preDays: 0,
  });
  return { groups, exposures, startedAt: Math.max(startedAt, firstDayOf(exposures, until)), share: 1 };
}

/**
 * The mode may have been chosen in the middle of a round: the days before are no gap. Single exposures with a wrong
 * date do not count.
 */
function firstDayOf(exposures: ReportInput['exposures'], until: number): number {
  const days = [...exposuresByDay(exposures)].filter(([, count]) => count >= MIN_DAY);
  return Math.min(...days.map(([at]) => at), until);
}
