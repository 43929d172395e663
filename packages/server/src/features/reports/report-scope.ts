import type { Phase } from '@switchyard/core/lifecycle/phases';
import type { ReportGoal, ReportInput } from '@switchyard/core/stats/report/report-input';
import { DAY_MS } from '@switchyard/core/time';
import { ApiError, invalidField } from '../../errors.ts';
import type { SplitTestQuery } from '../../storage/event-store.ts';
import type { PropertyConfiguration, SplitTest } from '../../storage/property-configuration.ts';

const FOR_EVER = Number.MAX_SAFE_INTEGER;
/** Visitors of these first days are held against the later ones. */
const EARLY_DAYS = 3;

/** One phase of a test, and how it is to be looked at. */
export interface ReportScope {
  property: PropertyConfiguration;
  test: SplitTest;
  /** Undefined before the test first ran. */
  phase: Phase | undefined;
  goals: ReportGoal[];
}

export function scopeOf(
  property: PropertyConfiguration,
  splitTestKey: string,
  number: number | undefined,
): ReportScope {
  const test = property.splitTests.find(({ key }) => key === splitTestKey);
  if (test === undefined) throw new ApiError('split_test_not_found');
  const phase = number === undefined ? test.phases.at(-1) : test.phases.find((it) => it.number === number);
  if (number !== undefined && phase === undefined) {
    throw invalidField(
      '/phase',
      `The test has had ${test.phases.length === 1 ? 'one phase' : `${test.phases.length} phases`}.`,
    );
  }
  return { property, test, phase, goals: goalsOf(property, test) };
}

function goalsOf({ goals }: PropertyConfiguration, test: SplitTest): ReportGoal[] {
  const find = (goalId: string, role: ReportGoal['role']): ReportGoal[] => {
    const goal = goals.find(({ id }) => id === goalId);
    return goal ? [{ ...goal, role }] : [];
  };
  return [
    ...test.goals.flatMap((id, index) => find(id, index === 0 ? 'primary' : 'secondary')),
    ...test.guardrails.flatMap((id) => find(id, 'guardrail')),
  ];
}

/** What to ask the event store. */
export function questionOf({ property, test, phase, goals }: ReportScope): SplitTestQuery {
  const { cuped, preDays, winsorize } = property.statistics;
  const isLatest = phase === undefined || phase === test.phases.at(-1);
  const endedAt = phase?.endedAt ?? null;
  return {
    propertyId: property.id,
    splitTestKey: test.key,
    variationKeys: variationsOf({ test, phase }).map(({ key }) => key),
    phase: phase?.number ?? 1,
    // Clocks of clients are not ours: what was seen before the first phase or after the last belongs to them.
    from: phase === undefined || phase === test.phases[0] ? 0 : phase.startedAt,
    to: isLatest ? FOR_EVER : (endedAt ?? FOR_EVER),
    until: endedAt === null ? FOR_EVER : endedAt + test.attributionDays * DAY_MS,
    goalIds: goals.map(({ id }) => id),
    revenueGoalIds: goals.filter(({ kind }) => kind === 'revenue').map(({ id }) => id),
    earlyDays: EARLY_DAYS,
    preDays: cuped ? preDays : 0,
    ...(winsorize === null ? {} : { winsorize }),
  };
}

const variationsOf = ({ test, phase }: Pick<ReportScope, 'test' | 'phase'>) =>
  phase?.definition.variations ?? test.variations;

/** All that the report is computed from. */
export function reportInput(
  scope: ReportScope,
  counts: Pick<ReportInput, 'groups' | 'exposures'> & { firstExposureAt: number | null },
  asOf: number,
  includeBots: boolean,
): ReportInput {
  const { property, test, phase, goals } = scope;
  const startedAt = Math.min(phase?.startedAt ?? asOf, counts.firstExposureAt ?? asOf);
  return {
    variations: variationsOf(scope).map(({ key, weight }) => ({ key, weight })),
    goals,
    statistics: property.statistics,
    smallestEffect: test.smallestEffect,
    plannedVisitors: test.plannedVisitors,
    includeBots,
    groups: counts.groups,
    exposures: counts.exposures,
    startedAt,
    endedAt: phase?.endedAt ?? null,
    ...(phase?.pauses && { pauses: phase.pauses }),
    asOf,
  };
}
