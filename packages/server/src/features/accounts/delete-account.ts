import { forgetSalts, recordAudited } from '../../configuration/audit/audit-log.ts';
import { memberSubject } from '../../configuration/audit/audited-rows.ts';
import type { Database } from '../../configuration/database/database.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import { redactInTransaction, TextInUseError } from '../../configuration/history/redact-history.ts';
import { forgetResponses } from '../../configuration/history/redact-other-tables.ts';
import { redactText } from '../../configuration/history/redacted-text.ts';
import type {
  ChangeRequest,
  ChangeTransaction,
  ConfigurationWriter,
} from '../../configuration/writer/configuration-writer.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { deleteTokens } from './access-token-store.ts';
import { findAccount, hasActiveOwner, type StoredAccount } from './account-store.ts';
import { forgetNames } from './forget-names.ts';

export interface AccountDeletion {
  /** The history calls the account by it: `deleted account 3`. */
  number: number;
  /** Where the e-mail address remains, because it is part of the present configuration. */
  remaining: { propertyId: string; items: string[] }[];
}

interface Services {
  writer: ConfigurationWriter;
  model: ConfigurationModel;
  /** Removes deleted text from the files. */
  scrub: () => Promise<void>;
}

/** Deletes everything about an account; the history keeps what it did, under a number. */
export async function deleteAccount(
  { writer, model, scrub }: Services,
  accountId: string,
  by: ChangeRequest,
): Promise<AccountDeletion> {
  const deletion = await writer.transaction(by, (changes) => deleteAll(changes, model, accountId));
  await scrub();
  return deletion;
}

async function deleteAll(
  changes: ChangeTransaction,
  model: ConfigurationModel,
  accountId: string,
): Promise<AccountDeletion> {
  const { database } = changes;
  const account = await findAccount(database, accountId);
  if (account === undefined) throw new ApiError('not_found');
  if (account.isOwner && account.disabledAt === null && !(await hasActiveOwner(database, accountId))) {
    throw new ApiError('last_owner');
  }
  const memberships = await removeMemberships(changes, accountId);
  const number = await nextNumber(database, accountId);
  const tokens = await deleteTokens(database, accountId);
  await forgetNames(database, account, tokens, `deleted account ${number}`);
  const remaining = await forgetEmail(database, model, account.email);
  await deleteRows(database, account, tokens);
  await forgetSalts(database, 'account', [accountId]);
  await forgetSalts(database, 'token', tokens);
  await forgetSalts(database, 'member', memberships);
  return { number, remaining };
}

async function removeMemberships(changes: ChangeTransaction, accountId: string): Promise<string[]> {
  const rows = await changes.database
    .selectFrom('members')
    .select('property_id')
    .where('account_id', '=', accountId)
    .orderBy('property_id')
    .execute();
  for (const { property_id } of rows) {
    await changes.changeProperty(
      property_id,
      ({ current }) =>
        current && {
          ...current,
          members: current.members.filter((member) => member.accountId !== accountId),
        },
    );
  }
  return rows.map(({ property_id }) => memberSubject(property_id, accountId));
}

async function nextNumber(database: Database, accountId: string): Promise<number> {
  const last = await database
    .selectFrom('deleted_accounts')
    .select(({ fn }) => fn.max<number | null>('number').as('number'))
    .executeTakeFirst();
  const number = (last?.number ?? 0) + 1;
  await database
    .insertInto('deleted_accounts')
    .values({ number, account_id: accountId, deleted_at: Date.now() })
    .execute();
  return number;
}

/** In the history of all properties, also of deleted ones. */
async function forgetEmail(
  database: Database,
  model: ConfigurationModel,
  email: string,
): Promise<AccountDeletion['remaining']> {
  const properties = await database
    .selectFrom('history')
    .select('property_id')
    .groupBy('property_id')
    .execute();
  const remaining: AccountDeletion['remaining'] = [];
  for (const { property_id: propertyId } of properties) {
    try {
      await redactInTransaction(database, propertyId, { text: email }, { dryRun: false, model });
    } catch (error) {
      if (!(error instanceof TextInUseError)) throw error;
      remaining.push({ propertyId, items: [...error.items] });
    }
  }
  await forgetResponses(database, redactText(email));
  return remaining;
}

async function deleteRows(
  database: Database,
  { id, email }: StoredAccount,
  tokens: readonly string[],
): Promise<void> {
  await database
    .deleteFrom('invitations')
    .where(({ eb, or }) => or([eb('email', '=', email), eb('invited_by', '=', id)]))
    .execute();
  if (tokens.length > 0) {
    await database.deleteFrom('credential_usage').where('credential_id', 'in', tokens).execute();
  }
  // Deletes its sessions and recovery codes too.
  await database.deleteFrom('accounts').where('id', '=', id).execute();
  await recordAudited(database, 'account', [id]);
}
