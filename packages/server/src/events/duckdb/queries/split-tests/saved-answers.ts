import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import type { DuckDBConnection } from '@duckdb/node-api';
import { execute, inTransaction, rowsOf } from '../../connection/sql.ts';
import type { TermDictionary } from '../../ingest/lookup/term-dictionary.ts';
import type { KeptAnswer } from './counted-answers.ts';

/** Max characters of all saved answers together; a row of sums takes about 200. */
const MAX_CHARACTERS = 2 ** 24;

/**
 * The answer to a query that was saved before the last restart. It holds for the snapshot of the caller: whatever
 * deletes events deletes the answers that counted them in the same transaction.
 */
export async function findSavedAnswer(
  connection: DuckDBConnection,
  query: string,
): Promise<KeptAnswer | undefined> {
  const [row] = await rowsOf<[string]>(
    connection,
    'SELECT answer FROM counted_answers WHERE query = $1 AND code = $2',
    [query, codeHash()],
  );
  return row && deserialize(Buffer.from(row[0], 'base64'));
}

/** Saves answers that hold for the stored events; those that were saved longest ago are dropped first. */
export function saveAnswers(
  connection: DuckDBConnection,
  terms: TermDictionary,
  answers: readonly (readonly [query: string, KeptAnswer])[],
): Promise<void> {
  return inTransaction(connection, async () => {
    for (const [query, answer] of answers) {
      await execute(connection, 'DELETE FROM counted_answers WHERE query = $1', [query]);
      const property = terms.find(answer.propertyId) as number;
      const text = serialize(answer).toString('base64');
      await execute(connection, 'INSERT INTO counted_answers VALUES ($1, $2, $3, $4, $5, $6)', [
        ...[property, answer.countedSince, Date.now()],
        ...[query, codeHash(), text],
      ]);
    }
    await execute(
      connection,
      `DELETE FROM counted_answers WHERE code <> $1 OR query IN (
         SELECT query FROM (SELECT query, sum(length(answer)) OVER (ORDER BY saved_at DESC, query) AS characters
                            FROM counted_answers)
         WHERE characters > ${MAX_CHARACTERS})`,
      [codeHash()],
    );
  });
}

/** Call it in the transaction that deletes the events before this time. */
export async function deleteSavedAnswers(
  connection: DuckDBConnection,
  property: number,
  before: number,
): Promise<void> {
  await execute(connection, 'DELETE FROM counted_answers WHERE property = $1 AND counted_since < $2', [
    property,
    before,
  ]);
}

let hash: string | undefined;

/**
 * Other code may count differently, so its answers are not used; in a build, this is the file with all of it. Other
 * versions of V8 may not be able to read them.
 */
function codeHash(): string {
  hash ??= createHash('sha256')
    .update(process.versions.v8)
    .update(readFileSync(fileURLToPath(import.meta.url)))
    .digest('base64url');
  return hash;
}
