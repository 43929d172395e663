import { resolve } from 'node:path';
import { openMemoryDatabase } from '../configuration/database/open-database.ts';
import { configurationModel } from '../definitions.ts';
import { applyProvision, planProvision } from '../features/provisioning/provision-apply.ts';
import { exportConfiguration, formatJson, formatYaml } from '../features/provisioning/provision-export.ts';
import { readProvisionText } from '../features/provisioning/provision-file.ts';
import { readInput, reportingMistakes } from '../features/provisioning/provision-input.ts';
import type { ProvisionChange } from '../features/provisioning/provision-plan.ts';
import { countChanges, describeChanges, describeGeneratedKeys } from './describe-changes.ts';
import { operatorProvisioning } from './operator-writer.ts';
import {
  hasDatabase,
  openConfigured,
  requireProperty,
  waitForServerReload,
  withDatabase,
  withExistingDatabase,
} from './with-database.ts';

export interface ApplyOptions {
  dataDir: string;
  json?: boolean;
}

export interface PlanOptions extends ApplyOptions {
  exitCode?: boolean;
}

export interface ExportOptions {
  dataDir: string;
  format: 'yaml' | 'json';
  property?: string;
}

export async function applyFile(file: string, { dataDir, json = false }: ApplyOptions): Promise<void> {
  const text = await readInput(file);
  const isNew = !hasDatabase(dataDir);
  const { changes, generatedKeys } = await reportingMistakes(file, json, async () => {
    // Parsed before the directory is created, so that an invalid file leaves no trace.
    const source = readProvisionText(text);
    return withDatabase(openConfigured(dataDir), ({ database }) =>
      applyProvision(operatorProvisioning(database), source),
    );
  });
  if (changes.some(({ action }) => action !== 'unchanged')) await waitForServerReload();
  if (json) {
    console.log(JSON.stringify({ changes: withoutWords(changes), generatedKeys }, undefined, 2));
    return;
  }
  const parts = [describeChanges(changes), countChanges(changes, 'done')];
  if (generatedKeys.length > 0) parts.push(describeGeneratedKeys(generatedKeys));
  if (isNew) {
    parts.push(
      `Created ${resolve(dataDir)}. If your server uses another data directory, pass it with --data-dir.`,
    );
  }
  console.log(parts.filter((part) => part !== '').join('\n\n'));
}

export async function planFile(
  file: string,
  { dataDir, json = false, exitCode = false }: PlanOptions,
): Promise<void> {
  const text = await readInput(file);
  const changes = await reportingMistakes(file, json, () => {
    const source = readProvisionText(text);
    // A plan does not create a missing directory.
    const opening = hasDatabase(dataDir) ? openConfigured(dataDir) : openMemoryDatabase();
    return withDatabase(opening, ({ database }) => planProvision(operatorProvisioning(database), source));
  });
  if (json) console.log(JSON.stringify({ changes: withoutWords(changes) }, undefined, 2));
  else
    console.log(
      [describeChanges(changes), countChanges(changes, 'planned')].filter((part) => part !== '').join('\n\n'),
    );
  if (exitCode && changes.some((change) => change.action !== 'unchanged')) process.exitCode = 2;
}

/** Scripts read the fields. */
const withoutWords = (changes: readonly ProvisionChange[]) =>
  changes.map(({ summary: _summary, ...change }) => change);

export async function exportAll({ dataDir, format, property }: ExportOptions): Promise<void> {
  const exported = await withExistingDatabase(dataDir, async (handle) => {
    if (property !== undefined) await requireProperty(handle, property);
    return exportConfiguration(handle.database, configurationModel, property);
  });
  process.stdout.write(format === 'json' ? formatJson(exported) : formatYaml(exported));
}
