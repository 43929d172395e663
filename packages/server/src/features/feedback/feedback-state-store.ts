import type { FeedbackState, FeedbackStateBody, FeedbackStatus } from '@switchyard/core/api/feedback';
import type { Database } from '../../configuration/database/database.ts';
import type { FeedbackTime } from '../../events/store/event-store.ts';
import type { Cursor } from '../../events/store/page.ts';

/** Entries without a state of their own. */
export const NEW_STATE: Readonly<Pick<FeedbackState, 'status' | 'notes'>> = { status: 'new', notes: null };

/** The states of the entries, by id; new ones without notes are missing. */
export async function statesOf(
  database: Database,
  propertyId: string,
  feedbackIds: readonly string[],
): Promise<ReadonlyMap<string, Pick<FeedbackState, 'status' | 'notes'>>> {
  if (feedbackIds.length === 0) return new Map();
  const rows = await database
    .selectFrom('feedback_states')
    .select(['feedback_id', 'status', 'notes'])
    .where('property_id', '=', propertyId)
    .where('feedback_id', 'in', feedbackIds)
    .execute();
  return new Map(rows.map(({ feedback_id, status, notes }) => [feedback_id, { status, notes }]));
}

/** Entries with a status, newest first, strictly after the cursor. */
export async function entriesWithStatus(
  database: Database,
  propertyId: string,
  status: Exclude<FeedbackStatus, 'new'>,
  { after, limit }: { after: Cursor | undefined; limit: number },
): Promise<FeedbackTime[]> {
  return database
    .selectFrom('feedback_states')
    .select(['feedback_id as id', 'feedback_at as createdAt'])
    .where('property_id', '=', propertyId)
    .where('status', '=', status)
    .$if(after !== undefined, (query) =>
      query.where(({ eb, and, or }) =>
        or([
          eb('feedback_at', '<', after!.at),
          and([eb('feedback_at', '=', after!.at), eb('feedback_id', '<', after!.id)]),
        ]),
      ),
    )
    .orderBy('feedback_at', 'desc')
    .orderBy('feedback_id', 'desc')
    .limit(limit)
    .execute();
}

/** Entries of a period that are seen or done, newest first. */
export async function markedEntries(
  database: Database,
  propertyId: string,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<{ id: string; status: FeedbackStatus }[]> {
  return database
    .selectFrom('feedback_states')
    .select(['feedback_id as id', 'status'])
    .where('property_id', '=', propertyId)
    .where('status', 'in', ['seen', 'done'])
    .where('feedback_at', '>=', from)
    .where('feedback_at', '<', to)
    .orderBy('feedback_at', 'desc')
    .limit(limit)
    .execute();
}

/** How many entries of a period are seen and done. */
export async function countMarked(
  database: Database,
  propertyId: string,
  { from, to }: { from: number; to: number },
): Promise<{ seen: number; done: number }> {
  const rows = await database
    .selectFrom('feedback_states')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .where('property_id', '=', propertyId)
    .where('status', 'in', ['seen', 'done'])
    .where('feedback_at', '>=', from)
    .where('feedback_at', '<', to)
    .groupBy('status')
    .execute();
  return { seen: 0, done: 0, ...Object.fromEntries(rows.map(({ status, count }) => [status, count])) };
}

/**
 * Sets the status or the notes of an entry; fields that are left out stay as they are.
 *
 * @param entry must exist in the event store
 */
export async function setFeedbackState(
  database: Database,
  propertyId: string,
  entry: FeedbackTime,
  change: FeedbackStateBody,
  by: string,
): Promise<FeedbackState> {
  // An empty text means that there are none.
  const notes = change.notes === '' ? null : change.notes;
  const changed = {
    ...(change.status === undefined ? {} : { status: change.status }),
    ...(notes === undefined ? {} : { notes }),
    updated_by: by,
    updated_at: Date.now(),
  };
  const row = await database
    .insertInto('feedback_states')
    .values({
      property_id: propertyId,
      feedback_id: entry.id,
      feedback_at: entry.createdAt,
      ...NEW_STATE,
      ...changed,
    })
    .onConflict((conflict) => conflict.columns(['property_id', 'feedback_id']).doUpdateSet(changed))
    .returningAll()
    .executeTakeFirstOrThrow();
  return {
    id: row.feedback_id,
    status: row.status,
    notes: row.notes,
    updatedBy: row.updated_by,
    updatedAt: row.updated_at,
  };
}

/** Ids of entries with a state, in order, after the given one. */
export async function idsWithState(
  database: Database,
  propertyId: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await database
    .selectFrom('feedback_states')
    .select('feedback_id')
    .where('property_id', '=', propertyId)
    .where('feedback_id', '>', after)
    .orderBy('feedback_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.feedback_id);
}

export async function deleteStates(
  database: Database,
  propertyId: string,
  feedbackIds: readonly string[],
): Promise<void> {
  if (feedbackIds.length === 0) return;
  await database
    .deleteFrom('feedback_states')
    .where('property_id', '=', propertyId)
    .where('feedback_id', 'in', feedbackIds)
    .execute();
}
