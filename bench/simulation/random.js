import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '20261118' },
    tests: { type: 'string', default: '2000' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean' },
  },
});

export const options = {
  seed: Number(values.seed),
  tests: Number(values.tests),
  only: values.only.toLowerCase(),
  help: values.help,
};

let state = options.seed >>> 0;

/** Each section has random numbers of its own, so that it gives the same figures alone, and in any order. */
export function seedFor(title) {
  state = options.seed >>> 0;
  for (const character of title) state = Math.imul(state ^ character.codePointAt(0), 16777619) >>> 0;
}

/** Mulberry32: small, and good enough for this purpose. */
export function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

export function normal() {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export const exponential = (mean) => -mean * Math.log(1 - random());

/** Above this variance, the normal approximation of a binomial draw is exact enough. */
const LARGE_VARIANCE = 200;

/** The number of successes among n: by the gaps between them, unless there are many. */
export function binomial(n, rate) {
  const variance = n * rate * (1 - rate);
  if (variance > LARGE_VARIANCE) {
    const drawn = Math.round(n * rate + Math.sqrt(variance) * normal());
    return Math.min(n, Math.max(0, drawn));
  }
  if (rate > 0.5) return n - binomial(n, 1 - rate);
  const scale = Math.log1p(-rate);
  const gap = () => 1 + Math.floor(Math.log(1 - random()) / scale);
  let count = 0;
  for (let at = gap(); at <= n; at += gap()) count++;
  return count;
}

/** By the gaps between events. */
export function poisson(mean) {
  let count = 0;
  for (let at = exponential(1); at < mean; at += exponential(1)) count++;
  return count;
}
