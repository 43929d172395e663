import { REPORT_VERSION } from '@switchyard/core/stats/report/report';
import type { Command } from 'commander';
import { readInput } from '../features/provisioning/provision-input.ts';
import { BUNDLE_FORMAT, differencesIn, type ReportBundle } from '../features/reports/report-bundle.ts';
import { CliError } from './output/cli-error.ts';

export function verifyCommand(command: Command): void {
  command
    .argument('[bundle]', 'file; default: standard input ("-")')
    .addHelpText(
      'after',
      `
A bundle comes from GET /v1/split-testing/results/export and holds the definition of a test, the counts, the
method and the results.

Exit codes: 0 the results match, 1 they do not, or the file is not a bundle.

Example:
  $ switchyard verify hero.json`,
    )
    .action(verifyBundle);
}

const MAX_SHOWN = 20;

async function verifyBundle(file = '-'): Promise<void> {
  const bundle = parse(await readInput(file));
  const differences = compute(bundle);
  if (differences.length > 0) {
    const shown = differences.slice(0, MAX_SHOWN).map((difference) => `  ${difference}`);
    const more = differences.length - shown.length;
    if (more > 0) shown.push(`  and ${more} more`);
    throw new CliError(`The results do not match the definition, method and counts:\n${shown.join('\n')}`);
  }
  const visitors = bundle.results.variations.reduce((sum, it) => sum + it.visitors, 0);
  console.log(
    `The results match: ${bundle.results.goals.length} goals, ${visitors.toLocaleString('en-US')} visitors.`,
  );
}

function parse(text: string): ReportBundle {
  let bundle: Partial<ReportBundle>;
  try {
    bundle = JSON.parse(text);
  } catch (error) {
    throw new CliError(`This is not JSON: ${(error as Error).message}`);
  }
  if (bundle?.format !== BUNDLE_FORMAT)
    throw new CliError(`This is not a bundle: "format" is not "${BUNDLE_FORMAT}".`);
  const { engineVersion } = bundle;
  if (engineVersion !== REPORT_VERSION) {
    throw new CliError(
      `The bundle was computed by engine version ${engineVersion}; this release can verify version ${REPORT_VERSION}.`,
    );
  }
  return bundle as ReportBundle;
}

function compute(bundle: ReportBundle): string[] {
  try {
    return differencesIn(bundle);
  } catch (error) {
    throw new CliError(`The bundle is incomplete: ${(error as Error).message}`);
  }
}
