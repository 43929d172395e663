import { resolve } from 'node:path';
import type { Command } from 'commander';
import { applyProvision } from '../features/provisioning/provision-apply.ts';
import { readProvisionText } from '../features/provisioning/provision-file.ts';
import { readInput, reportingMistakes } from '../features/provisioning/provision-input.ts';
import { dataDirOption, jsonOption } from './options/command-options.ts';
import {
  countChanges,
  describeChanges,
  describeGeneratedKeys,
  withoutWords,
} from './output/describe-changes.ts';
import { operatorProvisioning } from './stored-data/operator-writer.ts';
import {
  hasDatabase,
  openConfigured,
  waitForServerReload,
  withDatabase,
} from './stored-data/with-database.ts';

export function applyCommand(command: Command): void {
  command
    .argument('<file>', 'provision file; - reads standard input')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Anything the file does not mention is left unchanged; applying it twice changes nothing.
A running server picks up the change at once. Keys without a "key" in the file are
generated and printed only once.

Exit codes: 0 applied or nothing to do, 1 failed (every error is listed, nothing was changed).

Examples:
  $ switchyard apply shop.yaml
  $ switchyard export --data-dir old | switchyard apply - --data-dir new`,
    )
    .action(apply);
}

interface ApplyOptions {
  dataDir: string;
  json?: boolean;
}

async function apply(file: string, { dataDir, json = false }: ApplyOptions): Promise<void> {
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
