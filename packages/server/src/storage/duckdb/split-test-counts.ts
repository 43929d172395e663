import type { VariationCounts } from '../event-store.ts';
import type { QuestionContext } from './question.ts';
import { rowsOf } from './sql.ts';

/** Counts of a test by variation, ordered by its key. */
export async function splitTestCounts(
  { connection, terms }: QuestionContext,
  propertyId: string,
  splitTestKey: string,
): Promise<VariationCounts[]> {
  const property = terms.find(propertyId);
  const splitTest = terms.find(splitTestKey);
  if (property === undefined || splitTest === undefined) return [];
  const rows = await rowsOf<[number, bigint, bigint, bigint]>(
    connection,
    `WITH exposed AS (
       SELECT session_key, variation, count(*) AS exposures FROM exposures
       WHERE property = $1 AND split_test = $2 GROUP BY session_key, variation),
     named AS (
       SELECT session_key, arg_max(visitor_key, seq) AS visitor_key FROM collects
       WHERE property = $1 GROUP BY session_key)
     SELECT variation, sum(exposures), count(*), count(DISTINCT coalesce(visitor_key, session_key))
     FROM exposed LEFT JOIN named USING (session_key) GROUP BY variation`,
    [property, splitTest],
  );
  return rows
    .map(([variation, exposures, sessions, visitors]) => ({
      variationKey: terms.textOf(variation) ?? '',
      exposures: Number(exposures),
      sessions: Number(sessions),
      visitors: Number(visitors),
    }))
    .sort((a, b) => (a.variationKey < b.variationKey ? -1 : 1));
}
