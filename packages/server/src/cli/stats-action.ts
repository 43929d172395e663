import { type Analysis, analyse } from '@switchyard/core/stats/analysis';
import { readAnalysis } from '@switchyard/core/stats/analysis-input';
import { boundariesOf } from '@switchyard/core/stats/group-sequential/boundaries';
import type { PlannedLooks } from '@switchyard/core/stats/group-sequential/compare';
import { readInput } from '../features/provisioning/provision-input.ts';
import { CliError } from './cli-error.ts';

export async function printStats(file: string): Promise<void> {
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
