import { writeFileSync } from 'node:fs';
import { exportSuppressions } from '../features/erasure/suppression-file.ts';
import { liftSuppression, namedBy } from '../features/erasure/suppression-store.ts';
import { CliError } from './cli-error.ts';
import { type SubjectOptions, subjectOf } from './subject-options.ts';
import { waitForServerReload, withExistingDatabase } from './with-database.ts';

export interface ExportSuppressionsOptions {
  dataDir: string;
  out?: string;
}

export async function writeSuppressions({ dataDir, out }: ExportSuppressionsOptions): Promise<void> {
  const file = await withExistingDatabase(dataDir, ({ database }) => exportSuppressions(database));
  const text = `${JSON.stringify(file, undefined, 2)}\n`;
  if (out === undefined) process.stdout.write(text);
  else writeFileSync(out, text, { mode: 0o600 });
}

export interface LiftOptions extends SubjectOptions {
  dataDir: string;
}

export async function lift(options: LiftOptions): Promise<void> {
  const suppressed = namedBy(subjectOf(options));
  const isLifted = await withExistingDatabase(options.dataDir, ({ database }) =>
    liftSuppression(database, suppressed),
  );
  const { kind, id } = suppressed;
  if (!isLifted) throw new CliError(`The ${kind} "${id}" is not suppressed in "${options.property}".`);
  await waitForServerReload();
  console.log(`Events of the ${kind} "${id}" are stored again.`);
}
