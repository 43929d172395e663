/** Quantiles are exact to nine digits. */
const PARTS = 1_000_000_000;

/**
 * Scalar subquery for the caps of each goal: a map from its number to the quantile of the absolute values of `n` and `a` that
 * are not zero, which is 0 if there are none. Without crawlers, whose values are not in the results. The same caps for all
 * variations: separate ones would introduce a bias.
 *
 * @param outcomes SELECT of `is_bot`, `goal`, `n` and `a` per visitor
 */
export function outcomeCaps(outcomes: string, quantile: number): string {
  const above = PARTS - Math.round(quantile * PARTS);
  const cap = (values: string) =>
    `${values}[greatest(1, length(${values}) - intDiv(length(${values}) * ${above}, ${PARTS}))]`;
  return `(SELECT CAST((groupArray(goal), groupArray((${cap('counts')}, ${cap('amounts')}))),
      'Map(UInt16, Tuple(n Int128, a Int128))')
    FROM (
      SELECT goal, arraySort(groupArrayIf(abs(n), n <> 0)) AS counts, arraySort(groupArrayIf(abs(a), a <> 0)) AS amounts
      FROM (${outcomes}) WHERE goal > 0 AND NOT is_bot GROUP BY goal))`;
}

/**
 * SELECT of outcomes with capped values: `capped_n`, `capped_a` and so on. Each is computed in one place, because the time to
 * plan a statement grows with every mention of an expression.
 *
 * @param outcomes SELECT of `goal` and the values
 * @param hasCovariate the values before the first exposure have the caps of those after it
 */
export function cappedOutcomes(outcomes: string, hasCovariate: boolean): string {
  const values = ['n', 'a', ...(hasCovariate ? ['n0', 'a0'] : [])];
  const capped = values.map((name) => {
    const cap = `cap.${name.startsWith('n') ? 'n' : 'a'}`;
    return `if(${cap} > 0, greatest(-${cap}, least(${name}, ${cap})), ${name}) AS capped_${name}`;
  });
  return `SELECT *, ${capped.join(', ')} FROM (SELECT *, caps[goal] AS cap FROM (${outcomes}))`;
}
