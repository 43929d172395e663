import type { Selectable } from 'kysely';
import type { Database } from '../../configuration/database/database.ts';
import type { DatabaseTables } from '../../configuration/database/tables/database-tables.ts';
import type { SplitTest } from '../../configuration/property/property-configuration.ts';
import {
  type FeedbackOutcome,
  feedbackOutcomeOf,
  type Guardrail,
  goalIdOf,
  maxHarmOf,
  metricIdOf,
  type TestOutcome,
} from '../../configuration/property/test-outcome.ts';

type Outcomes = Pick<SplitTest, 'goals' | 'guardrails'>;

/** Goals and guardrails of each test, by its id. */
export async function outcomesByTest(database: Database, propertyId: string): Promise<Map<string, Outcomes>> {
  const goals = await database
    .selectFrom('split_test_goals')
    .selectAll()
    .where('property_id', '=', propertyId)
    .execute();
  const feedback = await database
    .selectFrom('split_test_feedback')
    .selectAll()
    .where('property_id', '=', propertyId)
    .execute();
  const metrics = await database
    .selectFrom('split_test_metrics')
    .selectAll()
    .where('property_id', '=', propertyId)
    .execute();
  const rows = [...goals, ...feedback, ...metrics].sort((left, right) => left.position - right.position);
  const byTest = new Map<string, Outcomes>();
  for (const row of rows) {
    const outcomes = byTest.get(row.split_test_id) ?? { goals: [], guardrails: [] };
    byTest.set(row.split_test_id, outcomes);
    const outcome = outcomeIn(row);
    if (row.role === 'goal') outcomes.goals.push(outcome);
    else outcomes.guardrails.push(withMaxHarm(outcome, row.max_harm));
  }
  return byTest;
}

type OutcomeRow =
  | Selectable<DatabaseTables['split_test_goals']>
  | Selectable<DatabaseTables['split_test_feedback']>
  | Selectable<DatabaseTables['split_test_metrics']>;

function outcomeIn(row: OutcomeRow): TestOutcome {
  if ('goal_id' in row) return row.goal_id;
  return 'metric_id' in row ? { metric: row.metric_id } : feedbackIn(row);
}

function feedbackIn(row: Selectable<DatabaseTables['split_test_feedback']>): FeedbackOutcome {
  return {
    feedbackType: row.feedback_type_id,
    ...(row.option === null ? {} : { option: row.option }),
    lowerIsBetter: row.lower_is_better === 1,
  };
}

function withMaxHarm(outcome: TestOutcome, maxHarm: number | null): Guardrail {
  if (maxHarm === null) return outcome;
  return typeof outcome === 'string' ? { goalId: outcome, maxHarm } : { ...outcome, maxHarm };
}

/** Replaces the goals and guardrails of a test. */
export async function saveOutcomes(
  database: Database,
  propertyId: string,
  splitTestId: string,
  { goals, guardrails }: Outcomes,
): Promise<void> {
  await database.deleteFrom('split_test_goals').where('split_test_id', '=', splitTestId).execute();
  await database.deleteFrom('split_test_feedback').where('split_test_id', '=', splitTestId).execute();
  await database.deleteFrom('split_test_metrics').where('split_test_id', '=', splitTestId).execute();
  const rows = [
    ...goals.map((outcome) => ({ outcome, role: 'goal' as const })),
    ...guardrails.map((outcome) => ({ outcome, role: 'guardrail' as const })),
  ].map(({ outcome, role }, index) => ({
    outcome,
    columns: {
      split_test_id: splitTestId,
      property_id: propertyId,
      role,
      position: index + 1,
      max_harm: maxHarmOf(outcome) ?? null,
    },
  }));
  const goalRows = rows.flatMap(({ outcome, columns }) => {
    const goalId = goalIdOf(outcome);
    return goalId === undefined ? [] : [{ ...columns, goal_id: goalId }];
  });
  const feedbackRows = rows.flatMap(({ outcome, columns }) => {
    const feedback = feedbackOutcomeOf(outcome);
    if (feedback === undefined) return [];
    return [
      {
        ...columns,
        feedback_type_id: feedback.feedbackType,
        option: feedback.option ?? null,
        lower_is_better: feedback.lowerIsBetter ? 1 : 0,
      },
    ];
  });
  const metricRows = rows.flatMap(({ outcome, columns }) => {
    const metricId = metricIdOf(outcome);
    return metricId === undefined ? [] : [{ ...columns, metric_id: metricId }];
  });
  if (goalRows.length > 0) await database.insertInto('split_test_goals').values(goalRows).execute();
  if (feedbackRows.length > 0)
    await database.insertInto('split_test_feedback').values(feedbackRows).execute();
  if (metricRows.length > 0) await database.insertInto('split_test_metrics').values(metricRows).execute();
}
