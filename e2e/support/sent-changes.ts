import { expect } from 'vitest';
import type { HistoryEntry } from '../../packages/server/src/configuration/history/history-entry.ts';
import type { SentChange } from './configuration-load.ts';

/** Expects every acknowledged change in the history once, and no rejected one. */
export function expectSentChanges(history: readonly HistoryEntry[], changes: readonly SentChange[]): void {
  const byComment = new Map<string, HistoryEntry[]>();
  for (const entry of history) {
    if (entry.comment === null) continue;
    byComment.set(entry.comment, [...(byComment.get(entry.comment) ?? []), entry]);
  }
  for (const change of changes) {
    const entries = byComment.get(change.comment) ?? [];
    const what = JSON.stringify(change);
    if (change.outcome === 'rejected') expect(entries, what).toEqual([]);
    else if (change.outcome === 'acknowledged') expectSaved(entries, change, what);
    // Without a response, the change was saved or not, but never twice.
    else expect(entries.length, what).toBeLessThanOrEqual(1);
  }
}

function expectSaved(entries: readonly HistoryEntry[], change: SentChange, what: string): void {
  expect(entries, what).toHaveLength(1);
  const [entry] = entries;
  expect(entry, what).toMatchObject({ entity: change.entity, actor: { type: 'account' } });
  if (change.version !== undefined) expect(entry?.version, what).toBe(change.version);
  if (change.method === 'DELETE') expect(entry?.action, what).toBe('delete');
  if (change.field === undefined) return;
  const { pointer, value } = change.field;
  expect(entry?.changes, what).toContainEqual(expect.objectContaining({ pointer, after: value }));
}
