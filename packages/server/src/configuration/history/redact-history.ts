import type { Difference } from '@switchyard/core/merge/differences';
import type { Database } from '../database/database.ts';
import { inLockingTransaction } from '../database/in-transaction.ts';
import { lockProperty } from '../database/lock-property.ts';
import type { ConfigurationModel } from '../definitions/configuration-model.ts';
import { loadProperty } from '../snapshot/configuration.ts';
import type { HistoryRow } from './history-chain.ts';
import { HistoryState, type SerializedState } from './history-state.ts';
import { rowsAfter, toEntry } from './history-store.ts';
import { redactOtherTables } from './redact-other-tables.ts';
import {
  emailsIn,
  type Redact,
  redactEmails,
  redactJson,
  redactPointer,
  redactText,
} from './redacted-text.ts';
import { rewriteEntries } from './rewrite-entries.ts';
import { readSnapshot, replaceSnapshot, snapshotSequences } from './snapshot-store.ts';
import { verifyHistory } from './verify-history.ts';

/** Small, because an entry can be as large as a configuration. */
const PAGE_ROWS = 100;

/** A text, or all e-mail addresses. */
export type Redacted = { text: string } | { emails: true };

export interface HistoryRedaction {
  /** Entries with such text, oldest first. */
  entries: Pick<HistoryRow, 'id' | 'at' | 'entity_type' | 'entity_key' | 'action' | 'version'>[];
  /** Proposals and messages of webhooks with such text. */
  others: number;
  /** E-mail addresses that stay, because the configuration has them. */
  kept: string[];
}

/** The text is part of the present configuration. */
export class TextInUseError extends Error {
  override readonly name = 'TextInUseError';
  readonly items: readonly string[];

  constructor(items: readonly string[]) {
    super(`The configuration still has this text: ${items.join(', ')}. Remove it there first.`);
    this.items = items;
  }
}

interface Options {
  dryRun: boolean;
  model: ConfigurationModel;
}

/** Removes text from the history of a property, without breaking its chain; a dry run only finds it. */
export function redactHistory(
  database: Database,
  propertyId: string,
  wanted: Redacted,
  options: Options,
): Promise<HistoryRedaction> {
  return inLockingTransaction(database, (transaction) =>
    redactInTransaction(transaction, propertyId, wanted, options),
  );
}

/** In the caller's transaction. */
export async function redactInTransaction(
  database: Database,
  propertyId: string,
  wanted: Redacted,
  { dryRun, model }: Options,
): Promise<HistoryRedaction> {
  await lockProperty(database, propertyId);
  const [stored] = await model.property.rows.list(database, propertyId);
  const property = stored && (await loadProperty(database, model, stored));
  const present = property && HistoryState.of(model, property).serialize();
  const open = await openProposals(database, propertyId);
  const inUse = 'emails' in wanted ? emailsIn(JSON.stringify([present, open])) : [];
  const kept = [...new Set(inUse)];
  const redact = 'text' in wanted ? redactText(wanted.text) : redactEmails(new Set(kept));
  const used = [
    ...(present ? itemsWith(present, redact) : []),
    ...open.filter((proposal) => isChanged(proposal, redact)).map(({ id }) => `open proposal ${id}`),
  ];
  if (used.length > 0) throw new TextInUseError(used);
  const entries = await redactEntries(database, propertyId, redact, dryRun);
  const others = await redactOtherTables(database, propertyId, redact, dryRun);
  if (!dryRun) {
    await redactSnapshots(database, propertyId, redact);
    const { problem } = await verifyHistory(database, model, propertyId, property);
    if (problem !== undefined) throw new Error(`the history would not be valid any more: ${problem}`);
  }
  return { entries, others, kept: kept.sort() };
}

/** They may become the configuration. */
async function openProposals(database: Database, propertyId: string) {
  const rows = await database
    .selectFrom('proposals')
    .select(['id', 'body'])
    .where('property_id', '=', propertyId)
    .where('state', '=', 'open')
    .execute();
  return rows.map(({ id, body }) => ({ id, body: body === null ? null : JSON.parse(body) }));
}

function itemsWith({ property, items }: SerializedState, redact: Redact): string[] {
  const hasText = (value: unknown) => isChanged(value, redact);
  const names = items.filter((item) => hasText(item)).map(([type, key]) => `${type} "${key}"`);
  return hasText(property) ? ['the settings of the property', ...names] : names;
}

const isChanged = (value: unknown, redact: Redact): boolean =>
  JSON.stringify(redactJson(value, redact)) !== JSON.stringify(value);

async function redactEntries(
  database: Database,
  propertyId: string,
  redact: Redact,
  dryRun: boolean,
): Promise<HistoryRow[]> {
  const found: HistoryRow[] = [];
  let last = 0;
  for (;;) {
    const rows = await rowsAfter(database, propertyId, last, PAGE_ROWS);
    const rewritten = rows.flatMap((row) => {
      const { property_id, sequence, actor_name } = row;
      const text = {
        actor_name,
        comment: row.comment && redact(row.comment),
        changes: changesOf(row, redact),
      };
      const isSame = text.comment === row.comment && text.changes === row.changes;
      return isSame ? [] : [{ property_id, sequence, text, row }];
    });
    if (!dryRun) await rewriteEntries(database, rewritten);
    // The text is not needed any more, and can be large.
    found.push(...rewritten.map(({ row }) => ({ ...row, changes: '', comment: null })));
    if (rows.length < PAGE_ROWS) return found;
    last = rows.at(-1)!.sequence;
  }
}

function changesOf(row: HistoryRow, redact: Redact): string {
  const { changes } = toEntry(row);
  const next = JSON.stringify(
    changes.map(
      ({ pointer, ...values }): Difference => ({
        pointer: redactPointer(pointer, redact),
        ...(redactJson(values, redact) as Omit<Difference, 'pointer'>),
      }),
    ),
  );
  return next === JSON.stringify(changes) ? row.changes : next;
}

async function redactSnapshots(database: Database, propertyId: string, redact: Redact): Promise<void> {
  for (const sequence of await snapshotSequences(database, propertyId)) {
    const state = await readSnapshot(database, propertyId, sequence);
    if (!isChanged(state, redact)) continue;
    await replaceSnapshot(database, propertyId, sequence, redactJson(state, redact) as SerializedState);
  }
}
