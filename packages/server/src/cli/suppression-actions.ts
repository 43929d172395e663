import { readFileSync, writeFileSync } from 'node:fs';
import { requestSuppressedErasures } from '../features/erasure/reapply-suppressions.ts';
import {
  exportSuppressions,
  parseSuppressions,
  type SuppressionFile,
} from '../features/erasure/suppression-file.ts';
import { liftSuppression, mergeSuppressions, namedBy } from '../features/erasure/suppression-store.ts';
import { CliError } from './cli-error.ts';
import { type ClickHouseOptions, givenClickHouse } from './given-clickhouse.ts';
import { type SubjectOptions, subjectOf } from './subject-options.ts';
import {
  databaseUrl,
  openConfigured,
  waitForServerReload,
  withDatabase,
  withExistingDatabase,
} from './with-database.ts';

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

/** A list that `suppressions export` has written. */
export function readSuppressionFile(path: string): SuppressionFile {
  const list = parseSuppressions(readFileSync(path, 'utf8'));
  if (list === undefined) throw new CliError(`${path} is not a list of suppressions.`);
  return list;
}

/** Adds a list to that of the nodes, and requests the erasure of everything that ClickHouse has of it. */
export async function importSuppressions(
  file: string,
  { clickhouse, clickhouseCluster }: ClickHouseOptions,
): Promise<void> {
  if (databaseUrl() === undefined || !clickhouse) {
    throw new CliError(
      'Set DATABASE_URL and CLICKHOUSE_URL as for the nodes. For one server with its own files, use ' +
        '"switchyard restore --suppressions".',
    );
  }
  const { salt, entries } = readSuppressionFile(file);
  const server = givenClickHouse(clickhouse, clickhouseCluster);
  // Imported only if needed: the client takes time and memory.
  const { openClickHouseEventStore } = await import('../storage/clickhouse/clickhouse-event-store.ts');
  const { added, erasures } = await withDatabase(openConfigured(''), async ({ database }) => {
    if (salt === null) return { added: 0, erasures: [] };
    // First, so that nothing more is stored about anybody on the list.
    const added = await mergeSuppressions(database, salt, entries);
    const store = openClickHouseEventStore(server);
    try {
      return { added, erasures: await requestSuppressedErasures(database, store) };
    } finally {
      await store.close();
    }
  });
  console.log(`New entries: ${added}. Requested erasures, which a node carries out: ${erasures.length}.`);
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
