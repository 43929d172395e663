const MAX_STEPS = 200;

/**
 * The root of an increasing function, to full precision. The search starts around `guess`, widens until it brackets the
 * root, and then uses Ridders' method with bisection as a fallback.
 */
export function findRoot(f: (x: number) => number, guess: number, width = 1): number {
  if (!(width > 0) || !Number.isFinite(guess)) throw new RangeError(`Cannot search around ${guess}.`);
  let low = guess - width;
  let high = guess + width;
  let atLow = f(low);
  let atHigh = f(high);
  for (let step = width; atLow > 0; step *= 2) {
    [high, atHigh] = [low, atLow];
    low -= step;
    atLow = f(low);
  }
  for (let step = width; atHigh < 0; step *= 2) {
    [low, atLow] = [high, atHigh];
    high += step;
    atHigh = f(high);
  }
  for (let i = 0; i < MAX_STEPS && atLow !== 0 && atHigh !== 0; i++) {
    const middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    const atMiddle = f(middle);
    const x = middle - (middle - low) * (atMiddle / Math.sqrt(atMiddle * atMiddle - atLow * atHigh));
    narrow(middle, atMiddle);
    // Bisect if a value is infinite, e.g. the logarithm of a probability that underflows.
    if (x > low && x < high) narrow(x, f(x));
    if (high - low <= 2 * Number.EPSILON * Math.max(Math.abs(low), Math.abs(high))) break;
  }
  return -atLow <= atHigh ? low : high;

  function narrow(point: number, value: number): void {
    if (value <= 0) [low, atLow] = [point, value];
    else [high, atHigh] = [point, value];
  }
}
