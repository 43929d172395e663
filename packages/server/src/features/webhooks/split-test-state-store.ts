import type { Database } from '../../configuration/database/database.ts';

/** What the last look at a split test found. */
export interface SplitTestState {
  propertyId: string;
  splitTestId: string;
  phase: number;
  status: string;
  /** Null: no verdict. */
  decision: string | null;
  variation: string | null;
  healthy: boolean;
  checkedAt: number;
}

export async function listSplitTestStates(database: Database): Promise<SplitTestState[]> {
  const rows = await database.selectFrom('webhook_test_states').selectAll().execute();
  return rows.map((row) => ({
    propertyId: row.property_id,
    splitTestId: row.split_test_id,
    phase: row.phase,
    status: row.status,
    decision: row.decision,
    variation: row.variation,
    healthy: row.healthy === 1,
    checkedAt: row.checked_at,
  }));
}

export async function saveSplitTestState(database: Database, state: SplitTestState): Promise<void> {
  const { phase, status, decision, variation } = state;
  const fields = {
    phase,
    status,
    decision,
    variation,
    healthy: state.healthy ? 1 : 0,
    checked_at: state.checkedAt,
  };
  await database
    .insertInto('webhook_test_states')
    .values({ property_id: state.propertyId, split_test_id: state.splitTestId, ...fields })
    .onConflict((conflict) => conflict.columns(['property_id', 'split_test_id']).doUpdateSet(fields))
    .execute();
}

export async function deleteSplitTestState(
  database: Database,
  { propertyId, splitTestId }: Pick<SplitTestState, 'propertyId' | 'splitTestId'>,
): Promise<void> {
  await database
    .deleteFrom('webhook_test_states')
    .where('property_id', '=', propertyId)
    .where('split_test_id', '=', splitTestId)
    .execute();
}
