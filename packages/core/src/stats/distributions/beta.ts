import { continuedFraction } from './continued-fraction.ts';
import { deviance, stirlingError } from './stirling.ts';

/** Lower and upper tail, each with full relative precision where it is small. */
interface Tails {
  readonly lower: number;
  readonly upper: number;
}

/**
 * I_x(a, b) and its complement: the probabilities of at most x and of more than x in a beta distribution. Pass `y` if
 * it is known more precisely than as 1 - x.
 */
export function incompleteBeta(a: number, b: number, x: number, y = 1 - x): Tails {
  if (x <= 0) return { lower: 0, upper: 1 };
  if (y <= 0) return { lower: 1, upper: 0 };
  // Above the mean, the fraction converges slowly; by symmetry, use the other end.
  if ((b + 1) * x > (a + 1) * y) {
    const { lower, upper } = incompleteBeta(b, a, y, x);
    return { lower: upper, upper: lower };
  }
  const lower = powerTerms(a, b, x, y) / fraction(a, b, x, y);
  return { lower, upper: 1 - lower };
}

/** x^a y^b / B(a, b), by deviances: precise for large a and b, where logarithms of the factors would cancel. */
function powerTerms(a: number, b: number, x: number, y: number): number {
  const n = a + b;
  const errors = stirlingError(n) - stirlingError(a) - stirlingError(b);
  const exponent = errors - deviance(a, n * x) - deviance(b, n * y);
  return Math.sqrt((a / n) * (b / (2 * Math.PI))) * Math.exp(exponent);
}

/** The even part of the usual continued fraction; it uses y only in sums, which preserves its precision. */
function fraction(a: number, b: number, x: number, y: number): number {
  const mean = a * y - b * x + 1;
  return continuedFraction(
    (m) => ((((a + m - 1) / (a + 2 * m - 1)) * (a + b + m - 1)) / (a + 2 * m - 1)) * m * (b - m) * x * x,
    (m) =>
      m +
      (m === 0 ? 0 : (m * (b - m) * x) / (a + 2 * m - 1)) +
      ((a + m) * (mean + m * (1 + y))) / (a + 2 * m + 1),
  );
}
