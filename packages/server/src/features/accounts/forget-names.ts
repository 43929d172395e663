import type { Database } from '../../configuration/database/database.ts';
import { rewriteEntries } from '../../configuration/history/rewrite-entries.ts';
import type { StoredAccount } from './account-store.ts';

const ROWS_PER_STEP = 500;

/** Replaces the names of an account and of its tokens in everything that it did, in the caller's transaction. */
export async function forgetNames(
  database: Database,
  account: StoredAccount,
  tokenIds: readonly string[],
  label: string,
): Promise<void> {
  const names = await namesOf(database, account);
  await forgetActor(database, [account.id, ...tokenIds], names, label);
  await database
    .updateTable('proposals')
    .set({ author_name: label })
    .where('author_id', '=', account.id)
    .execute();
  const own = await namesOfNobodyElse(database, account, names);
  for (const name of own) await forgetSigned(database, name, label);
  await forgetInDeliveries(database, new Set([account.id, ...tokenIds]), own, label);
}

/** Present and earlier ones. */
async function namesOf(database: Database, { id, name, email }: StoredAccount): Promise<string[]> {
  const rows = await database
    .selectFrom('history')
    .select('actor_name')
    .where('actor_type', '=', 'account')
    .where('actor_id', '=', id)
    .groupBy('actor_name')
    .execute();
  return [...new Set([name, email, ...rows.map((row) => row.actor_name)])];
}

async function namesOfNobodyElse(
  database: Database,
  { id }: StoredAccount,
  names: readonly string[],
): Promise<string[]> {
  const rows = await database
    .selectFrom('accounts')
    .select('name')
    .where('id', '!=', id)
    .where('name', 'in', names)
    .execute();
  return names.filter((name) => !rows.some((row) => row.name === name));
}

/** Tokens that were deleted earlier are known by the name of the account in theirs. */
async function forgetActor(
  database: Database,
  ids: readonly string[],
  names: readonly string[],
  label: string,
): Promise<void> {
  for (;;) {
    const rows = await database
      .selectFrom('history')
      .select(['property_id', 'sequence', 'comment', 'changes'])
      .where('actor_name', '!=', label)
      .where(({ eb, and, or }) =>
        or([
          eb('actor_id', 'in', ids),
          and([
            eb('actor_type', '=', 'token'),
            or(names.map((name) => eb('actor_name', 'like', `% (${escapeLike(name)})`))),
          ]),
        ]),
      )
      .limit(ROWS_PER_STEP)
      .execute();
    await rewriteEntries(
      database,
      rows.map(({ property_id, sequence, comment, changes }) => ({
        property_id,
        sequence,
        text: { actor_name: label, comment, changes },
      })),
    );
    if (rows.length < ROWS_PER_STEP) return;
  }
}

/** A single character of the pattern matches any, which is good enough to find candidates of this length. */
const escapeLike = (text: string) => text.replaceAll(/[%\\]/g, '_');

/** Names without an id. */
async function forgetSigned(database: Database, name: string, label: string): Promise<void> {
  const isSigned = `% (${escapeLike(name)})`;
  await database
    .updateTable('proposals')
    .set({ decided_by: label })
    .where(({ eb, or }) => or([eb('decided_by', '=', name), eb('decided_by', 'like', isSigned)]))
    .execute();
}

async function forgetInDeliveries(
  database: Database,
  ids: ReadonlySet<string>,
  names: readonly string[],
  label: string,
): Promise<void> {
  const rows = await database
    .selectFrom('webhook_deliveries')
    .select(['id', 'body'])
    .where('type', '=', 'configuration.changed')
    .execute();
  for (const { id, body } of rows) {
    const event = JSON.parse(body) as { data?: { actor?: { id: string | null; name: string } } };
    const actor = event.data?.actor;
    if (actor === undefined) continue;
    const isOwn = ids.has(actor.id ?? '') || names.some((name) => actor.name.endsWith(` (${name})`));
    if (!isOwn || actor.name === label) continue;
    actor.name = label;
    await database
      .updateTable('webhook_deliveries')
      .set({ body: JSON.stringify(event) })
      .where('id', '=', id)
      .execute();
  }
}
