import { readFileSync } from 'node:fs';
import { parseSuppressions, type SuppressionFile } from '../../features/erasure/suppression-file.ts';
import { CliError } from '../output/cli-error.ts';

/** A list that `suppressions export` has written. */
export function readSuppressionFile(path: string): SuppressionFile {
  const list = parseSuppressions(readFileSync(path, 'utf8'));
  if (list === undefined) throw new CliError(`${path} is not a list of suppressions.`);
  return list;
}
