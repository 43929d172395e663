const TINY = 1e-300;
const MAX_TERMS = 1_000_000;

/**
 * b(0) + a(1) / (b(1) + a(2) / (b(2) + …)), by the modified Lentz method. `a` and `b` return the partial numerators
 * and denominators.
 */
export function continuedFraction(a: (m: number) => number, b: (m: number) => number): number {
  let value = b(0) || TINY;
  let c = value;
  let d = 0;
  for (let m = 1; m <= MAX_TERMS; m++) {
    const [am, bm] = [a(m), b(m)];
    d = 1 / (bm + am * d || TINY);
    c = bm + am / c || TINY;
    const factor = c * d;
    value *= factor;
    if (Math.abs(factor - 1) <= Number.EPSILON) break;
  }
  return value;
}
