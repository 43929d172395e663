import type { DecisionRuleReport } from '@switchyard/core/api/decision/decision-rule';
import { type AudienceInForce, audienceInForce } from '@switchyard/core/lifecycle/phases';
import type { AaVerdict } from '@switchyard/core/stats/report/aa-verdict';
import type { ReportGoal } from '@switchyard/core/stats/report/report-input';
import type { OverlappingTest } from '@switchyard/core/stats/words/checklist-words';
import type {
  PropertyConfiguration,
  SplitTest,
  Variation,
} from '../../../configuration/property/property-configuration.ts';
import { reportGoals } from '../../../configuration/property/report-goals.ts';
import { outcomeId } from '../../../configuration/property/test-outcome.ts';
import { type PlannedOutcome, plannedGoal, plannedMetric } from '../plan/planned-outcome.ts';

/** A goal, metric or feedback of the test. */
export interface ChecklistGoal {
  readonly goal: ReportGoal;
  /** What recent visitors are asked about; undefined for feedback. */
  readonly outcome: PlannedOutcome | undefined;
}

/** What the configuration says about a test that is about to start, small enough to send to another thread. */
export interface ChecklistScope {
  readonly property: Pick<PropertyConfiguration, 'id' | 'statistics' | 'timeZone' | 'displayCurrency'>;
  readonly splitTestKey: string;
  readonly goals: readonly ChecklistGoal[];
  readonly variations: readonly Variation[];
  /** Since when pages get it as it is; null for drafts, and after the end. */
  readonly servedSince: number | null;
  /** Undefined for all visitors. */
  readonly audience: AudienceInForce | undefined;
  /** Percentage of the audience that takes part. */
  readonly participating: number;
  readonly plannedVisitors: number | null;
  readonly smallestEffect: number | null;
  readonly isAaTestOff: boolean;
  readonly aaTest: Pick<AaVerdict, 'verdict' | 'words'> | undefined;
  readonly running: readonly OverlappingTest[];
  readonly decisionRule: DecisionRuleReport;
}

export function checklistScope(
  property: PropertyConfiguration,
  test: SplitTest,
  known: Pick<ChecklistScope, 'aaTest' | 'decisionRule'>,
): ChecklistScope {
  const { id, statistics, timeZone, displayCurrency } = property;
  return {
    property: { id, statistics, timeZone, displayCurrency },
    splitTestKey: test.key,
    goals: reportGoals(property, test).map((goal) => ({ goal, outcome: outcomeOf(property, goal) })),
    variations: test.variations.filter(({ retired }) => !retired),
    servedSince: servedSince(test),
    audience: test.audience && audienceInForce(test.audience, property.segments),
    participating: participatingShare(property, test),
    plannedVisitors: test.plannedVisitors,
    smallestEffect: test.smallestEffect,
    isAaTestOff: property.aaTest === 'off',
    running: overlapping(property, test),
    ...known,
  };
}

function servedSince({ phases }: SplitTest): number | null {
  const last = phases.at(-1);
  return last?.endedAt === null ? (last.servedFrom ?? last.startedAt) : null;
}

function outcomeOf(property: PropertyConfiguration, goal: ReportGoal): PlannedOutcome | undefined {
  if (goal.kind === 'metric') {
    const metric = property.metrics.find(({ id }) => id === goal.metricId);
    return metric && plannedMetric(metric, property);
  }
  const counted = property.goals.find(({ id }) => id === goal.id);
  return counted && plannedGoal(counted);
}

/** The traffic, within the slot of an exclusion group, without the holdout. */
function participatingShare(
  { holdout }: PropertyConfiguration,
  { trafficAllocation, exclusion }: SplitTest,
): number {
  return (trafficAllocation * (exclusion?.share ?? 100) * (100 - holdout)) / 10_000;
}

/** Running tests that can have the same visitors: those in one exclusion group never do. */
function overlapping({ splitTests }: PropertyConfiguration, test: SplitTest): OverlappingTest[] {
  const [primary] = test.goals;
  return splitTests
    .filter(
      ({ key, status, exclusion }) =>
        key !== test.key &&
        status === 'running' &&
        (exclusion === null || exclusion.group !== test.exclusion?.group),
    )
    .map(({ key, name, hashSeed, goals: [goal], tags }) => ({
      name: name || key,
      sameSeed: hashSeed === test.hashSeed,
      sameGoal: goal !== undefined && primary !== undefined && outcomeId(goal) === outcomeId(primary),
      tags: tags.filter((tag) => test.tags.includes(tag)),
    }));
}
