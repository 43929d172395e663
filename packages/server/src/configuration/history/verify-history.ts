import { sameJson } from '@switchyard/core/merge/json-value';
import { lastAuditOf } from '../audit/audit-log.ts';
import { matches } from '../audit/verify-audit-log.ts';
import type { Database } from '../database/database.ts';
import type { ConfigurationModel } from '../definitions/configuration-model.ts';
import type { PropertyConfiguration } from '../property/property-configuration.ts';
import { brokenLink, type HistoryRow } from './history-chain.ts';
import { HistoryState } from './history-state.ts';
import { rowsAfter, toEntry } from './history-store.ts';
import { redactionSubject, textContent } from './rewrite-entries.ts';
import { readSnapshot, snapshotSequences } from './snapshot-store.ts';
import { stateDifference } from './state-difference.ts';

/** Small, because an entry can be as large as a configuration. */
const PAGE_ROWS = 100;

export interface VerifiedHistory {
  entries: number;
  /** How many of them have text that was redacted. */
  redacted?: number;
  /** What is wrong; the first of several. */
  problem?: string;
}

/**
 * Checks that nobody changed the history of a property, that it leads to the stored configuration, and that the
 * snapshots on the way agree. Call it in one transaction, so that no change happens in between.
 */
export async function verifyHistory(
  database: Database,
  model: ConfigurationModel,
  propertyId: string,
  stored: PropertyConfiguration | undefined,
): Promise<VerifiedHistory> {
  const snapshots = new Set(await snapshotSequences(database, propertyId));
  const state = new HistoryState(model);
  let last: HistoryRow | undefined;
  let redacted = 0;
  for (;;) {
    const rows = await rowsAfter(database, propertyId, last?.sequence ?? 0, PAGE_ROWS);
    for (const row of rows) {
      const problem =
        brokenLink(row, last) ??
        (await wrongRedaction(database, row)) ??
        unreadable(() => state.apply(toEntry(row)), row);
      if (problem !== undefined) return { entries: last?.sequence ?? 0, problem };
      last = row;
      if (row.salt === null) redacted += 1;
      if (!snapshots.delete(row.sequence)) continue;
      const difference = await snapshotDifference(database, row, state);
      if (difference !== undefined) return { entries: row.sequence, problem: difference };
    }
    if (rows.length < PAGE_ROWS) break;
  }
  const entries = last?.sequence ?? 0;
  const [lost] = snapshots;
  if (lost !== undefined) {
    return { entries, problem: `entry ${lost} is missing: there is a snapshot of the state after it` };
  }
  if (entries === 0 && stored !== undefined) return { entries, problem: 'all entries are missing' };
  const difference = stateDifference(
    state,
    stored === undefined ? new HistoryState(model) : HistoryState.of(model, stored),
  );
  return {
    entries,
    redacted,
    ...(difference !== undefined && { problem: `the stored configuration ${difference}` }),
  };
}

/** The text of a redacted entry is not covered by its hash, but recorded in the audit log. */
async function wrongRedaction(database: Database, row: HistoryRow): Promise<string | undefined> {
  if (row.salt !== null) return undefined;
  const record = await lastAuditOf(database, 'redaction', redactionSubject(row.property_id, row.sequence));
  if (record !== undefined && matches(record, textContent(row))) return undefined;
  return `entry ${row.sequence} (${row.id}) was modified`;
}

async function snapshotDifference(
  database: Database,
  { property_id, sequence }: HistoryRow,
  expected: HistoryState,
): Promise<string | undefined> {
  try {
    const state = await readSnapshot(database, property_id, sequence);
    if (sameJson(state, expected.serialize())) return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return `the snapshot after entry ${sequence} was modified`;
}

function unreadable(apply: () => void, { sequence, id }: HistoryRow): string | undefined {
  try {
    apply();
    return undefined;
  } catch (error) {
    return `entry ${sequence} (${id}) cannot be applied: ${(error as Error).message}`;
  }
}
