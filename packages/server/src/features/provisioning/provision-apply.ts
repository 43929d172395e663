import type { ProvisionFile } from '@switchyard/core/api/provisioning';
import { loadProperty } from '../../storage/configuration.ts';
import type { Database } from '../../storage/database.ts';
import type { PropertyConfiguration } from '../../storage/property-configuration.ts';
import type { ProvisionSource } from './provision-file.ts';
import { ProvisionError, type ProvisionMistake } from './provision-mistake.ts';
import {
  type GeneratedKey,
  type PlannedChange,
  type ProvisionChange,
  planChanges,
} from './provision-plan.ts';
import { shapeProvisionFile } from './provision-shape.ts';
import type { ProvisionStores } from './provision-stores.ts';
import { type ProvisionState, resolveFile } from './resolve-property.ts';

export interface ProvisionResult {
  changes: ProvisionChange[];
  generatedKeys: GeneratedKey[];
}

/** Returns the changes that `applyProvision` would make. Throws `ProvisionError` with every mistake. */
export function planProvision(
  database: Database,
  stores: ProvisionStores,
  source: ProvisionSource,
): Promise<ProvisionChange[]> {
  return database
    .transaction()
    .setAccessMode('read only')
    .execute((transaction) => checkAndPlan(transaction, stores, source, Date.now()));
}

/** Applies the whole file, or nothing if it has a mistake. Throws `ProvisionError` with every mistake. */
export function applyProvision(
  database: Database,
  stores: ProvisionStores,
  source: ProvisionSource,
): Promise<ProvisionResult> {
  return database.transaction().execute(async (transaction) => {
    const now = Date.now();
    const changes = await checkAndPlan(transaction, stores, source, now);
    const changed = new Set<string>();
    const generatedKeys: GeneratedKey[] = [];
    for (const change of changes) {
      if (change.action === 'unchanged') continue;
      changed.add(change.propertyId);
      const generated = await change.save(transaction);
      if (generated !== undefined) generatedKeys.push(generated);
    }
    for (const propertyId of changed) await stores.updatePhases(transaction, propertyId, now);
    return { changes, generatedKeys };
  });
}

async function checkAndPlan(
  database: Database,
  stores: ProvisionStores,
  source: ProvisionSource,
  now: number,
): Promise<PlannedChange[]> {
  const shaped = shapeProvisionFile(source.content);
  const state = await loadState(database, stores, shaped.file);
  const resolved = resolveFile(shaped.file, state, stores, now);
  const semanticMistakes = resolved.mistakes
    .map((mistake) => ({ ...mistake, path: shaped.originalPath(mistake.path) }))
    .filter((mistake) => !isConsequence(mistake, shaped.mistakes));
  const mistakes = [...shaped.mistakes, ...semanticMistakes];
  if (mistakes.length > 0) throw new ProvisionError(sortByPosition(mistakes, source));
  return planChanges(resolved.properties, stores, now);
}

/** Invalid values were removed, so a missing value there has already been reported. */
function isConsequence(mistake: ProvisionMistake, causes: readonly ProvisionMistake[]): boolean {
  return causes.some(({ path }) => path === mistake.path || path.startsWith(`${mistake.path}/`));
}

function sortByPosition(mistakes: readonly ProvisionMistake[], source: ProvisionSource): ProvisionMistake[] {
  return mistakes
    .map((mistake) => ({ ...mistake, ...source.locate(mistake.path) }))
    .sort((left, right) => (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0));
}

async function loadState(
  database: Database,
  stores: ProvisionStores,
  file: ProvisionFile,
): Promise<ProvisionState> {
  const named = new Set(file.properties.map((property) => property.id));
  const properties = new Map<string, PropertyConfiguration>();
  for (const stored of await stores.listProperties(database)) {
    if (named.has(stored.id)) properties.set(stored.id, await loadProperty(database, stores, stored));
  }
  return { properties, keys: await stores.listKeys(database) };
}
