import { normalDensity, normalSurvival } from '../distributions/normal.ts';
import { gaussLegendre } from './gauss-legendre.ts';

/** Values beyond this many standard deviations are practically impossible. */
const FAR = 12;
const MIN_NODES = 12;
const MAX_NODES = 512;
/** Nodes per standard deviation of a step; the integrals are then exact to more than 9 digits. */
const NODES_PER_STEP = 1.75;

/**
 * The test statistic over time: a Brownian motion with a drift, observed at information fractions, which stops when it
 * leaves its limits. Integrates its density from look to look (Armitage, McPherson and Rowe 1969). Without a drift it
 * is symmetric, so only its absolute value is followed.
 */
export class MonitoredProcess {
  readonly #drift: number;
  readonly #isSymmetric: boolean;
  #time = 0;
  #nodes: Float64Array = Float64Array.of(0);
  /** Probability of each node. */
  #masses: Float64Array = Float64Array.of(1);

  constructor(drift = 0) {
    this.#drift = drift;
    this.#isSymmetric = drift === 0;
  }

  /** The probability of being outside of ±limit at this time, and its derivative by the limit. */
  outside(time: number, limit: number): { probability: number; slope: number } {
    const { sd, shift } = this.#step(time);
    let [probability, slope] = [0, 0];
    for (let i = 0; i < this.#nodes.length; i++) {
      const center = this.#nodes[i]! + shift;
      const mass = this.#masses[i]!;
      const [above, below] = [(limit - center) / sd, (limit + center) / sd];
      probability += mass * (normalSurvival(above) + normalSurvival(below));
      slope -= (mass * (normalDensity(above) + normalDensity(below))) / sd;
    }
    return { probability, slope };
  }

  /**
   * Moves to this time and stops outside of ±limit; returns the probability of having stopped here.
   *
   * @param next time of the next step: a short step needs more nodes now
   */
  advance(time: number, limit: number, next = Infinity): number {
    const { sd, shift } = this.#step(time);
    const before = this.#total();
    const [center, reach] = [this.#drift * time, FAR * Math.sqrt(time)];
    const low = this.#isSymmetric ? 0 : Math.max(-limit, center - reach);
    const half = Math.max(0, Math.min(limit, center + reach) - low) / 2;
    const scale = Math.min(sd, Math.sqrt(next - time));
    const wanted = MIN_NODES + NODES_PER_STEP * Math.ceil((2 * half) / scale);
    const { nodes, weights } = gaussLegendre(Math.min(MAX_NODES, 8 * Math.ceil(wanted / 8)));
    const values = nodes.map((node) => low + half * (1 + node));
    const masses = weights.map((weight, i) => (half * weight * this.#density(values[i]! - shift, sd)) / sd);
    this.#nodes = values;
    this.#masses = masses;
    this.#time = time;
    return Math.max(0, before - this.#total());
  }

  #step(time: number): { sd: number; shift: number } {
    const elapsed = time - this.#time;
    return { sd: Math.sqrt(elapsed), shift: this.#drift * elapsed };
  }

  /** This loop takes nearly all of the time. */
  #density(x: number, sd: number): number {
    const [nodes, masses, scale, isSymmetric] = [this.#nodes, this.#masses, 1 / sd, this.#isSymmetric];
    let sum = 0;
    for (let i = 0; i < nodes.length; i++) {
      const z = (x - nodes[i]!) * scale;
      if (z > -FAR && z < FAR) sum += masses[i]! * Math.exp(-0.5 * z * z);
      if (!isSymmetric) continue;
      const mirrored = (x + nodes[i]!) * scale;
      if (mirrored < FAR) sum += masses[i]! * Math.exp(-0.5 * mirrored * mirrored);
    }
    return sum * normalDensity(0);
  }

  #total(): number {
    return this.#masses.reduce((sum, mass) => sum + mass, 0);
  }
}
