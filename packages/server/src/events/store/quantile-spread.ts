import type { QuantileSpread } from './metric-queries.ts';

/** Of the interval whose width tells the standard error. */
export const QUANTILE_Z = 1.96;

/** Sums over visitors of their number of values (`all`) and of those up to the quantile (`below`). */
export interface QuantileClusters {
  visitors: number;
  all: number;
  below: number;
  allSquares: number;
  belowSquares: number;
  products: number;
}

/** The position of a quantile in sorted values, from 1: the smallest value that is at least as large as this share. */
function rankOf(quantile: number, values: number): number {
  const share = Math.min(1, Math.max(0, quantile));
  // In this order, which rounds as DuckDB does.
  return Math.max(1, values - Math.floor(values - share * values));
}

/**
 * The positions of the lower and the upper value of the interval: values of one visitor are not independent, so the
 * share of values up to the quantile is a ratio of sums over visitors, whose variance the delta method tells. Undefined
 * with fewer than two visitors.
 */
export function spreadRanks(
  quantile: number,
  { visitors, all, below, allSquares, belowSquares, products }: QuantileClusters,
): [lower: number, upper: number] | undefined {
  if (visitors < 2) return undefined;
  const share = below / all;
  const squares = belowSquares - 2 * share * products + share * share * allSquares;
  const variance = (Math.max(0, squares) / (all * all)) * (visitors / (visitors - 1));
  const margin = QUANTILE_Z * Math.sqrt(variance);
  return [rankOf(quantile - margin, all), rankOf(quantile + margin, all)];
}

/** @param bounds the values at the positions of `spreadRanks` */
export function quantileSpread(
  { visitors, all }: Pick<QuantileClusters, 'visitors' | 'all'>,
  value: number,
  bounds: readonly [lower: number, upper: number] | undefined,
): QuantileSpread {
  return {
    visitors,
    values: all,
    value,
    standardError: bounds ? (bounds[1] - bounds[0]) / (2 * QUANTILE_Z) : null,
  };
}

export const NO_VALUES: QuantileSpread = { visitors: 0, values: 0, value: null, standardError: null };
