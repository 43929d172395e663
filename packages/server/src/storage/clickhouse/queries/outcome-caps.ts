/** Quantiles are exact to nine digits. */
const PARTS = 1_000_000_000;

/**
 * Scalar subquery for the caps of each goal: a map from its number to the quantile of the positive values of `n` and `a`,
 * which are 0 if there are none. The same caps for all variations: separate ones would introduce a bias.
 *
 * @param outcomes SELECT of `goal`, `n` and `a` per visitor
 */
export function outcomeCaps(outcomes: string, quantile: number): string {
  const above = PARTS - Math.round(quantile * PARTS);
  const cap = (values: string) =>
    `${values}[greatest(1, length(${values}) - intDiv(length(${values}) * ${above}, ${PARTS}))]`;
  return `(SELECT CAST((groupArray(goal), groupArray((${cap('counts')}, ${cap('amounts')}))),
      'Map(UInt16, Tuple(n Int128, a Int128))')
    FROM (
      SELECT goal, arraySort(groupArrayIf(n, n > 0)) AS counts, arraySort(groupArrayIf(a, a > 0)) AS amounts
      FROM (${outcomes}) WHERE goal > 0 GROUP BY goal))`;
}

/** SQL for a value, capped. */
export const capped = (column: 'n' | 'a') =>
  `if(caps[goal].${column} > 0, least(${column}, caps[goal].${column}), ${column})`;
