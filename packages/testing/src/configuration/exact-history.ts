import { expect } from 'vitest';
import type { Database } from '../../../server/src/configuration/database/database.ts';
import type { HistoryEntry } from '../../../server/src/configuration/history/history-entry.ts';
import { HistoryState } from '../../../server/src/configuration/history/history-state.ts';
import { rowsAfter, toEntry } from '../../../server/src/configuration/history/history-store.ts';
import { verifyHistory } from '../../../server/src/configuration/history/verify-history.ts';
import type { PropertyConfiguration } from '../../../server/src/configuration/property/property-configuration.ts';
import { loadProperty } from '../../../server/src/configuration/snapshot/configuration.ts';
import { configurationModel } from '../../../server/src/start/definitions.ts';

const MAX_ENTRIES = 100_000;

export async function storedProperty(
  database: Database,
  propertyId: string,
): Promise<PropertyConfiguration | undefined> {
  const [property] = await configurationModel.property.rows.list(database, propertyId);
  return property && loadProperty(database, configurationModel, property);
}

export async function readHistory(database: Database, propertyId: string): Promise<HistoryEntry[]> {
  return (await rowsAfter(database, propertyId, 0, MAX_ENTRIES)).map(toEntry);
}

/** Expects an unbroken history that replays to exactly what is stored, with versions that rise by one; returns it. */
export async function expectExactHistory(database: Database, propertyId: string): Promise<HistoryEntry[]> {
  const property = await storedProperty(database, propertyId);
  expect((await verifyHistory(database, configurationModel, propertyId, property)).problem).toBeUndefined();
  const entries = await readHistory(database, propertyId);
  const replayed = new HistoryState(configurationModel);
  for (const entry of entries) replayed.apply(entry);
  expect(replayed.property === undefined).toBe(property === undefined);
  // Compared as a whole too, because a test must not rely on `verifyHistory` alone.
  if (property !== undefined)
    expect(replayed.serialize()).toEqual(HistoryState.of(configurationModel, property).serialize());
  expectVersions(entries);
  return entries;
}

function expectVersions(entries: readonly HistoryEntry[]): void {
  const last = new Map<string, number>();
  let propertyVersion = entries[0]?.propertyVersion ?? 0;
  for (const { entity, version, propertyVersion: next } of entries) {
    expect([propertyVersion, propertyVersion + 1]).toContain(next);
    propertyVersion = next;
    const name = `${entity.type} ${entity.key}`;
    if (entity.type === 'property' || entity.type === 'key') continue;
    const before = last.get(name);
    if (before !== undefined) expect(version, name).toBe(before + 1);
    last.set(name, version);
  }
}
