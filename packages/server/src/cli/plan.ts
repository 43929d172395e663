import type { Command } from 'commander';
import { openMemoryDatabase } from '../configuration/database/open-database.ts';
import { planProvision } from '../features/provisioning/provision-apply.ts';
import { readProvisionText } from '../features/provisioning/provision-file.ts';
import { readInput, reportingMistakes } from '../features/provisioning/provision-input.ts';
import { dataDirOption, jsonOption } from './options/command-options.ts';
import { countChanges, describeChanges, withoutWords } from './output/describe-changes.ts';
import { operatorProvisioning } from './stored-data/operator-writer.ts';
import { hasDatabase, openConfigured, withDatabase } from './stored-data/with-database.ts';

export function planCommand(command: Command): void {
  command
    .argument('<file>', 'provision file; - reads standard input')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .option('--exit-code', 'exit with 2 when something would change')
    .addHelpText(
      'after',
      `
Exit codes: 0 the file is valid (without --exit-code) or nothing would change (with it),
            1 the file is invalid or cannot be read, 2 something would change (only with --exit-code).

Examples:
  $ switchyard plan shop.yaml
  $ switchyard plan shop.yaml --exit-code || echo "not applied yet"`,
    )
    .action(plan);
}

interface PlanOptions {
  dataDir: string;
  json?: boolean;
  exitCode?: boolean;
}

async function plan(file: string, { dataDir, json = false, exitCode = false }: PlanOptions): Promise<void> {
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
