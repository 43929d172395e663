import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Check } from '../operations/doctor/doctor-check.ts';
import { checkInstallation } from '../operations/doctor/doctor-checks.ts';
import { loadSetting } from '../platform/settings/config.ts';
import { configurationModel } from '../start/definitions.ts';
import { dataDirOption, jsonOption } from './options/command-options.ts';

interface DoctorOptions {
  dataDir: string;
  json?: boolean;
}

export function doctorCommand(command: Command): void {
  command
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Changes nothing. Can run while the server is running.

Exit codes: 0 no problems (warnings do not count), 1 at least one check failed.

Example:
  $ switchyard doctor --data-dir /var/lib/switchyard`,
    )
    .action(doctor);
}

async function doctor({ dataDir, json }: DoctorOptions): Promise<void> {
  const checks = await checkInstallation(configurationModel, resolve(dataDir), loadSetting('DATABASE_URL'));
  if (json) console.log(JSON.stringify({ checks }, undefined, 2));
  else console.log(checks.map(describe).join('\n'));
  if (checks.some((check) => check.status === 'fail')) process.exitCode = 1;
}

function describe({ status, name, detail, hint }: Check): string {
  const line = `${status.padEnd(4)}  ${name.padEnd(20)}  ${detail}`;
  return hint === undefined || status === 'ok' ? line : `${line}\n      → ${hint}`;
}
