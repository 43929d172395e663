const HALF_LOG_TWO_PI = 0.9189385332046728;

/** From here on, the series below has full precision. */
const LARGE = 10;

/**
 * The error of Stirling's formula: log Γ(x) = (x - ½) log x - x + ½ log 2π + stirlingError(x), for x > 0. Ratios of
 * gamma functions computed with it stay precise for large arguments, unlike differences of log Γ.
 */
export function stirlingError(x: number): number {
  let error = 0;
  let at = x;
  for (; at < LARGE; at++) error += (at + 0.5) * Math.log1p(1 / at) - 1;
  const inverse = 1 / at;
  const square = inverse * inverse;
  return (
    error +
    inverse *
      (1 / 12 -
        square *
          (1 / 360 -
            square *
              (1 / 1260 -
                square * (1 / 1680 - square * (1 / 1188 - square * (691 / 360360 - square / 156))))))
  );
}

/** log Γ(x) for x > 0. */
export function logGamma(x: number): number {
  return (x - 0.5) * Math.log(x) - x + HALF_LOG_TWO_PI + stirlingError(x);
}

/** x log(x / mean) + mean - x for positive arguments, without cancellation if they are close (Loader 2000). */
export function deviance(x: number, mean: number): number {
  const difference = x - mean;
  if (Math.abs(difference) >= 0.1 * (x + mean)) {
    const ratio = x / mean;
    const logarithm = ratio > 0 && ratio < Infinity ? Math.log(ratio) : Math.log(x) - Math.log(mean);
    return x * logarithm - difference;
  }
  const v = difference / (x + mean);
  let sum = difference * v;
  let term = 2 * x * v;
  for (let j = 3; ; j += 2) {
    term *= v * v;
    sum += term / j;
    if (!(Math.abs(term) > Number.EPSILON * sum)) return sum;
  }
}
