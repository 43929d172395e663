import { DEFAULT_ALPHA } from '../alpha.ts';
import { normalSurvival, normalUpperQuantile } from '../distributions/normal.ts';
import { MonitoredProcess } from './monitored-process.ts';
import { type Spending, spentAlpha } from './spending.ts';

/** A look may spend this part of alpha even if nothing is planned for it yet. */
const EARLY_SHARE = 1e-5;

/** P-values are interpolated between boundaries for alphas whose normal quantiles are this far apart. */
const GRID_STEP = 0.25;
const POINTS = 6;
/** The largest quantile in the grid; beyond, the boundary grows in proportion. */
const MAX_INDEX = 36;

const NEGLIGIBLE = 1e-40;
/** Smaller probabilities than this cannot be spent. */
const MIN_PROBABILITY = 1e-307;
/** Newton's method doubles the exact digits in each step, so one more step would be exact to rounding. */
const TOLERANCE = 1e-8;
const MAX_STEPS = 100;

/**
 * The boundaries of a group-sequential test: at each look, a difference is significant if its statistic is beyond the
 * boundary. They depend on the looks so far, but not on later ones.
 */
export class Boundaries {
  readonly #fractions: readonly number[];
  readonly spending: Spending;
  readonly #rows = new Map<number, readonly number[]>();
  readonly #cutRows = new Map<number, readonly number[]>();

  /** @param fractions information fractions of the looks, ascending, above 0 and at most 1 */
  constructor(fractions: readonly number[], spending: Spending) {
    this.#fractions = fractions;
    this.spending = spending;
  }

  /** The boundary of each look; infinite if no alpha is spent by then. */
  criticals(alpha: number): readonly number[] {
    const known = this.#rows.get(alpha);
    if (known) return known;
    const process = new MonitoredProcess();
    let [spent, previous] = [0, Infinity];
    const row = this.#fractions.map((fraction, look) => {
      const total = spentAlpha(this.spending, alpha, fraction);
      const limit = limitFor(process, fraction, total - spent, previous);
      // Early looks that practically never stop are skipped: they take time and change nothing.
      if (total > NEGLIGIBLE) {
        [spent, previous] = [total, limit];
        process.advance(fraction, limit, this.#fractions[look + 1]);
      }
      return limit / Math.sqrt(fraction);
    });
    this.#rows.set(alpha, row);
    return row;
  }

  /**
   * The boundary of each look, at most about 5 standard errors. Very early ones would be far higher, which makes
   * intervals meaningless and hides disasters; for 100 looks, the cut adds at most a thousandth of alpha.
   */
  cutCriticals(alpha: number): readonly number[] {
    const known = this.#cutRows.get(alpha);
    if (known) return known;
    const highest = normalUpperQuantile((EARLY_SHARE * alpha) / 2);
    const row = this.criticals(alpha).map((critical) => Math.min(critical, highest));
    this.#cutRows.set(alpha, row);
    return row;
  }

  /** The smallest alpha at which the statistic reaches the cut boundary of this look. */
  cutPValue(z: number, look: number): number {
    return Math.min(this.pValue(z, look), (2 * normalSurvival(Math.abs(z))) / EARLY_SHARE);
  }

  /** The smallest alpha at which the statistic reaches the boundary of this look; from 0 to 1 for every number. */
  pValue(z: number, look: number): number {
    const size = Math.abs(z);
    const boundary = (index: number) => this.criticals(alphaAt(index))[look]!;
    // Boundaries are nearly proportional to the quantiles, so the search starts close to the result.
    const [alpha, row] = this.#rows.entries().next().value ?? [DEFAULT_ALPHA, this.criticals(DEFAULT_ALPHA)];
    const guess = (size / row[look]!) * (normalUpperQuantile(alpha / 2) / GRID_STEP);
    let low = Math.max(0, Math.min(MAX_INDEX, Math.floor(guess)));
    while (low >= 0 && boundary(low) > size) low--;
    while (low >= 0 && low < MAX_INDEX && boundary(low + 1) <= size) low++;
    if (low < 0) return 1;
    if (low === MAX_INDEX) return alphaAt((MAX_INDEX * size) / boundary(MAX_INDEX));
    const first = Math.max(0, Math.min(MAX_INDEX + 1 - POINTS, low + 1 - POINTS / 2));
    const indexes = Array.from({ length: POINTS }, (_, i) => first + i).filter(
      (index) => boundary(index) < Infinity,
    );
    // Beyond the last alpha that can be spent at this look, its p-value is an upper limit.
    if (!indexes.includes(low + 1)) return alphaAt(low);
    const index = interpolate(indexes.map(boundary), indexes, size);
    return alphaAt(Math.max(low, Math.min(low + 1, index)));
  }
}

/** Index 0 is the alpha of the quantile 0, where every result is significant. */
const alphaAt = (index: number) => Math.min(0.9999, 2 * normalSurvival(index * GRID_STEP));

/** The limit that the process exceeds with the given probability, by Newton's method on the logarithm. */
function limitFor(
  process: MonitoredProcess,
  fraction: number,
  probability: number,
  previous: number,
): number {
  if (!(probability > MIN_PROBABILITY)) return Infinity;
  let [low, high] = [0, Infinity];
  let limit = previous < Infinity ? previous : Math.sqrt(fraction) * normalUpperQuantile(probability / 2);
  for (let step = 0; step < MAX_STEPS; step++) {
    const { probability: outside, slope } = process.outside(fraction, limit);
    if (outside > probability) low = limit;
    else high = limit;
    const newton = limit - (Math.log(outside / probability) * outside) / slope;
    if (Math.abs(newton - limit) <= TOLERANCE * limit) return newton;
    const middle = high === Infinity ? 2 * low : (low + high) / 2;
    limit = newton > low && newton < high ? newton : middle;
  }
  return limit;
}

/** Lagrange interpolation of y at x. */
function interpolate(xs: readonly number[], ys: readonly number[], x: number): number {
  return ys.reduce((sum, y, i) => {
    const factors = xs.map((other, j) => (i === j ? 1 : (x - other) / (xs[i]! - other)));
    return sum + factors.reduce((product, factor) => product * factor, y);
  }, 0);
}

const MAX_CACHED = 16;
const byKey = new Map<string, Boundaries>();
const byFractions = new WeakMap<readonly number[], Boundaries>();

/** The same looks are used for all goals, variations and days of a test, and often for the next report too. */
export function boundariesOf(fractions: readonly number[], spending: Spending): Boundaries {
  const known = byFractions.get(fractions);
  if (known?.spending === spending) return known;
  const key = `${spending} ${fractions.join(' ')}`;
  const boundaries = byKey.get(key) ?? new Boundaries(fractions, spending);
  byKey.delete(key);
  byKey.set(key, boundaries);
  if (byKey.size > MAX_CACHED) byKey.delete(byKey.keys().next().value!);
  byFractions.set(fractions, boundaries);
  return boundaries;
}
