/** Nodes in -1 to 1 and weights for numerical integration. */
export interface Quadrature {
  readonly nodes: Float64Array;
  readonly weights: Float64Array;
}

const cache = new Map<number, Quadrature>();

/** Gauss-Legendre quadrature with `size` nodes: the roots of the Legendre polynomial, by Newton's method. */
export function gaussLegendre(size: number): Quadrature {
  const cached = cache.get(size);
  if (cached) return cached;
  const [nodes, weights] = [new Float64Array(size), new Float64Array(size)];
  for (let i = 0; i < Math.ceil(size / 2); i++) {
    let x = Math.cos((Math.PI * (i + 0.75)) / (size + 0.5));
    let slope = 0;
    for (let step = 0, change = 1; step < 100 && Math.abs(change) > 1e-16; step++) {
      const polynomial = legendre(size, x);
      slope = polynomial.slope;
      change = polynomial.value / slope;
      x -= change;
    }
    const weight = 2 / ((1 - x * x) * slope * slope);
    [nodes[i], nodes[size - 1 - i]] = [-x, x];
    [weights[i], weights[size - 1 - i]] = [weight, weight];
  }
  const quadrature = { nodes, weights };
  cache.set(size, quadrature);
  return quadrature;
}

function legendre(degree: number, x: number): { value: number; slope: number } {
  let [previous, value] = [1, x];
  for (let k = 2; k <= degree; k++) {
    [previous, value] = [value, ((2 * k - 1) * x * value - (k - 1) * previous) / k];
  }
  return { value, slope: (degree * (x * value - previous)) / (x * x - 1) };
}
