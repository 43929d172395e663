import type { Database } from '../database/database.ts';
import type { AuditKind } from '../database/tables/history-tables.ts';
import { type AuditRow, auditHash, auditRowsAfter } from './audit-log.ts';
import { AUDITED } from './audited-rows.ts';
import { CHAIN_START, sha256 } from './hash-chain.ts';

const PAGE_ROWS = 1000;

export interface VerifiedAuditLog {
  /** What is wrong. */
  problems: string[];
  entries: number;
  /** How many of each kind are stored, and agree with the log. */
  checked: Record<AuditKind, number>;
}

/** Checks that nobody changed the log, and that it leads to what is stored. Call it in one transaction. */
export async function verifyAuditLog(database: Database): Promise<VerifiedAuditLog> {
  const checked = { key: 0, member: 0, account: 0, token: 0 };
  const { latest, entries, problem } = await readAuditLog(database);
  if (problem !== undefined) return { problems: [problem], entries, checked };
  const problems: string[] = [];
  for (const kind of Object.keys(AUDITED) as AuditKind[]) {
    const { noun, list } = AUDITED[kind];
    const known = latest.get(kind) ?? new Map<string, AuditRow>();
    for (const { subject, content } of await list(database)) {
      const row = known.get(subject);
      known.delete(subject);
      checked[kind] += 1;
      if (row === undefined || row.digest === null) problems.push(`${noun} ${subject} was added`);
      else if (!matches(row, content)) problems.push(`${noun} ${subject} was changed`);
    }
    for (const [subject, { digest }] of known) {
      if (digest !== null) problems.push(`${noun} ${subject} was deleted`);
    }
  }
  return { problems, entries, checked };
}

/** Whether a row of the log is of this content. */
export const matches = ({ salt, digest }: AuditRow, content: readonly unknown[]): boolean =>
  salt !== null && digest === sha256([salt, content]);

type LatestRows = Map<AuditRow['kind'], Map<string, AuditRow>>;

/** The last row of every subject. */
async function readAuditLog(
  database: Database,
): Promise<{ latest: LatestRows; entries: number; problem?: string }> {
  const latest: LatestRows = new Map();
  let last: AuditRow | undefined;
  for (;;) {
    const rows = await auditRowsAfter(database, last?.sequence ?? 0, PAGE_ROWS);
    for (const row of rows) {
      const expected = (last?.sequence ?? 0) + 1;
      if (row.sequence !== expected)
        return { latest, entries: expected - 1, problem: `entry ${expected} is missing` };
      if (row.hash !== auditHash(row, last?.hash ?? CHAIN_START)) {
        return { latest, entries: expected - 1, problem: `entry ${row.sequence} was modified` };
      }
      const ofKind = latest.get(row.kind) ?? new Map<string, AuditRow>();
      latest.set(row.kind, ofKind.set(row.subject, row));
      last = row;
    }
    if (rows.length < PAGE_ROWS) return { latest, entries: last?.sequence ?? 0 };
  }
}
