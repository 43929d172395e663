import { type Analysis, analyse } from '@switchyard/core/stats/analysis';
import { readAnalysis } from '@switchyard/core/stats/analysis-input';
import { boundariesOf } from '@switchyard/core/stats/group-sequential/boundaries';
import type { PlannedLooks } from '@switchyard/core/stats/group-sequential/compare';
import type { Command } from 'commander';
import { readInput } from '../features/provisioning/provision-input.ts';
import { CliError } from './output/cli-error.ts';

export function statsCommand(command: Command): void {
  command
    .argument('[file]', 'JSON file; - or nothing reads standard input', '-')
    .addHelpText(
      'after',
      `
Input:
  method       "sequential" (look as often as you like), "group-sequential" (a planned number of
               visitors, looks on the way), "frequentist" (look once) or "bayesian"
  metric       "mean" (revenue or count per visitor) or "proportion" (converted visitors)
  control      key of the variation that the others are compared with
  variations   [{ key, n, sum, sumSquares }]: visitors, sum and sum of squares of their values;
               for a proportion sum is the number converted, and sumSquares is optional.
               With covariateSum, covariateSumSquares and covariateProduct for all of them
               the values before the test reduce the noise (CUPED).
  alpha        default 0.05
  sequentialN  visitors at which the sequential interval is tightest; default 5000
  plannedVisitors  of all variations, for "group-sequential"
  earlierLooks     numbers of visitors at earlier looks, for "group-sequential"; default none
  spending         "obrien-fleming" (default) or "pocock", for "group-sequential"
  nonNegative  true if no value of a mean is negative: the relative uplift is at least -1
  weights      how visitors were split, by key or in order; enables the sample ratio check

Output: per variation the observed mean, absolute and relative uplift with intervals, the
standardError of the absolute uplift, pValue (all but bayesian), chanceToBeat and expectedLoss
(bayesian); srm (with weights), and the critical value of each look (group-sequential).
null means not applicable, or not computable from these numbers; in a relative interval it can
also be an open end, because the mean of the control may be zero.

Exit codes: 0 printed, 1 failed (every wrong field is named, nothing is printed).

Examples:
  $ switchyard stats numbers.json
  $ echo '{"method":"sequential","metric":"proportion","control":"a","weights":[1,1],"variations":[
      {"key":"a","n":5000,"sum":400},{"key":"b","n":5050,"sum":520}]}' | switchyard stats`,
    )
    .action(printStats);
}

async function printStats(file: string): Promise<void> {
  const analysis = readNumbers(await readInput(file), file === '-' ? 'standard input' : file);
  const { variations, srm, settings } = analyse(analysis);
  const { alpha } = settings;
  // The input has looks, or none.
  const looks = settings.looks as PlannedLooks | null;
  const output = {
    variations,
    srm: srm === null ? null : { pValue: srm.pValue },
    ...(looks && { looks: describeLooks(looks, alpha) }),
  };
  console.log(JSON.stringify(output, undefined, 2));
}

function describeLooks({ fractions, spending }: PlannedLooks, alpha: number) {
  const criticals = boundariesOf(fractions, spending).cutCriticals(alpha);
  return fractions.map((fraction, index) => ({ fraction, critical: criticals[index] }));
}

function readNumbers(text: string, name: string): Analysis {
  const reading = readAnalysis(parse(text, name));
  if ('analysis' in reading) return reading.analysis;
  const { mistakes } = reading;
  const count = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`;
  const lines = mistakes.map(({ field, message }) => `  ${field} ${message}`);
  throw new CliError(`${name} has ${count}.\n${lines.join('\n')}`);
}

function parse(text: string, name: string): unknown {
  try {
    // Some editors add a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new CliError(`${name} is not JSON: ${(error as Error).message}.`);
  }
}
