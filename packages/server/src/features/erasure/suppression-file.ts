import type { Database } from '../../configuration/database/database.ts';
import { readSuppressionState, readSuppressions, type Suppression } from './suppression-store.ts';

/** The list as a file, for a restore from an older backup. */
export interface SuppressionFile {
  format: 'switchyard-suppressions';
  version: 1;
  /** Null: the list is empty. */
  salt: string | null;
  entries: Suppression[];
}

export async function exportSuppressions(database: Database): Promise<SuppressionFile> {
  const state = await readSuppressionState(database);
  return {
    format: 'switchyard-suppressions',
    version: 1,
    salt: state?.salt ?? null,
    entries: await readSuppressions(database),
  };
}

/** Undefined: not a list of suppressions. */
export function parseSuppressions(text: string): SuppressionFile | undefined {
  try {
    const file = JSON.parse(text) as SuppressionFile;
    const { format, version, salt, entries } = file;
    const isList = format === 'switchyard-suppressions' && version === 1 && entries.every(isEntry);
    return isList && (salt === null || typeof salt === 'string') ? file : undefined;
  } catch {
    return undefined;
  }
}

function isEntry({ propertyId, kind, hash, createdAt }: Suppression): boolean {
  return [propertyId, kind, hash].every((text) => typeof text === 'string') && Number.isInteger(createdAt);
}
