import { randomBytes } from 'node:crypto';
import { PostgresAdapter, type Selectable, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { DatabaseTables } from '../database/tables/database-tables.ts';
import type { AuditKind } from '../database/tables/history-tables.ts';
import { AUDITED, type AuditedRow } from './audited-rows.ts';
import { CHAIN_START, sha256 } from './hash-chain.ts';

export type AuditRow = Selectable<DatabaseTables['audit_log']>;

/** Distinguishes this advisory lock from all others. */
const AUDIT_LOG = 2;
/** SQLite limits the number of parameters of a statement. */
const ROWS_PER_INSERT = 500;

/**
 * Records what is stored now of something that gives access; called in the transaction that has changed, created or
 * deleted it. The log has a chain of hashes of its own, and only digests: nobody learns a credential from it.
 */
export async function recordAudited(
  database: Database,
  kind: AuditKind,
  subjects: readonly string[],
): Promise<void> {
  const entries: NewAuditEntry[] = [];
  for (const subject of subjects) {
    const row = await AUDITED[kind].find(database, subject);
    entries.push({ kind, subject, content: row?.content });
  }
  await appendAudit(database, entries);
}

export interface NewAuditEntry {
  kind: AuditRow['kind'];
  subject: string;
  /** Undefined: it was deleted. */
  content: AuditedRow['content'] | undefined;
}

export async function appendAudit(database: Database, entries: readonly NewAuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await lockAuditLog(database);
  const last = await lastAuditRow(database);
  let { sequence, hash } = last ?? { sequence: 0, hash: CHAIN_START };
  const at = Date.now();
  const rows = entries.map(({ kind, subject, content }): AuditRow => {
    sequence += 1;
    const salt = content === undefined ? null : randomBytes(16).toString('hex');
    const digest = salt === null ? null : sha256([salt, content]);
    hash = auditHash({ sequence, at, kind, subject, digest }, hash);
    return { sequence, at, kind, subject, salt, digest, hash };
  });
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    await database
      .insertInto('audit_log')
      .values(rows.slice(start, start + ROWS_PER_INSERT))
      .execute();
  }
}

/** The salt is not covered, so that it can be deleted, and with it any way to guess what the digest is of. */
export function auditHash(
  { sequence, at, kind, subject, digest }: Omit<AuditRow, 'salt' | 'hash'>,
  previousHash: string,
): string {
  return sha256([previousHash, sequence, at, kind, subject, digest]);
}

/** One writer at a time, because the log is one chain. */
async function lockAuditLog(database: Database): Promise<void> {
  if (!(database.getExecutor().adapter instanceof PostgresAdapter)) return;
  await sql`select pg_advisory_xact_lock(${AUDIT_LOG}, 0)`.execute(database);
}

function lastAuditRow(database: Database): Promise<AuditRow | undefined> {
  return database.selectFrom('audit_log').selectAll().orderBy('sequence', 'desc').limit(1).executeTakeFirst();
}

/** What the log has last of a subject. */
export function lastAuditOf(
  database: Database,
  kind: AuditRow['kind'],
  subject: string,
): Promise<AuditRow | undefined> {
  return database
    .selectFrom('audit_log')
    .selectAll()
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** In the order of the log. */
export function auditRowsAfter(database: Database, sequence: number, limit: number): Promise<AuditRow[]> {
  return database
    .selectFrom('audit_log')
    .selectAll()
    .where('sequence', '>', sequence)
    .orderBy('sequence')
    .limit(limit)
    .execute();
}

/** Makes the digests of deleted subjects meaningless. */
export async function forgetSalts(
  database: Database,
  kind: AuditKind,
  subjects: readonly string[],
): Promise<void> {
  for (const subject of subjects) {
    await database
      .updateTable('audit_log')
      .set({ salt: null })
      .where('kind', '=', kind)
      .where('subject', '=', subject)
      .execute();
  }
}
