import type { Database } from '../../storage/database.ts';
import type { SplitTest } from '../../storage/property-configuration.ts';
import type { TestOutcome } from '../../storage/test-outcome.ts';

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
  const rows = [
    ...goals.map((row) => ({ ...row, outcome: row.goal_id as TestOutcome })),
    ...feedback.map((row) => ({
      ...row,
      outcome: {
        feedbackType: row.feedback_type_id,
        ...(row.option === null ? {} : { option: row.option }),
        lowerIsBetter: row.lower_is_better === 1,
      },
    })),
  ].sort((left, right) => left.position - right.position);
  const byTest = new Map<string, Outcomes>();
  for (const { split_test_id, role, outcome } of rows) {
    const outcomes = byTest.get(split_test_id) ?? { goals: [], guardrails: [] };
    byTest.set(split_test_id, outcomes);
    outcomes[role === 'goal' ? 'goals' : 'guardrails'].push(outcome);
  }
  return byTest;
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
  const rows = [
    ...goals.map((outcome) => ({ outcome, role: 'goal' as const })),
    ...guardrails.map((outcome) => ({ outcome, role: 'guardrail' as const })),
  ].map(({ outcome, role }, index) => ({
    outcome,
    columns: { split_test_id: splitTestId, property_id: propertyId, role, position: index + 1 },
  }));
  const goalRows = rows.flatMap(({ outcome, columns }) =>
    typeof outcome === 'string' ? [{ ...columns, goal_id: outcome }] : [],
  );
  const feedbackRows = rows.flatMap(({ outcome, columns }) =>
    typeof outcome === 'string'
      ? []
      : [
          {
            ...columns,
            feedback_type_id: outcome.feedbackType,
            option: outcome.option ?? null,
            lower_is_better: outcome.lowerIsBetter ? 1 : 0,
          },
        ],
  );
  if (goalRows.length > 0) await database.insertInto('split_test_goals').values(goalRows).execute();
  if (feedbackRows.length > 0)
    await database.insertInto('split_test_feedback').values(feedbackRows).execute();
}
