import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '20261115' },
    tests: { type: 'string', default: '2000' },
    help: { type: 'boolean' },
  },
});

export const options = { seed: Number(values.seed), tests: Number(values.tests), help: values.help };

/** Mulberry32: small, and good enough for this purpose. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export const random = generator(options.seed);

export function normal() {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The number of successes among n, by the gaps between them. */
export function binomial(n, rate) {
  const scale = Math.log1p(-rate);
  const gap = () => 1 + Math.floor(Math.log(1 - random()) / scale);
  let count = 0;
  for (let at = gap(); at <= n; at += gap()) count++;
  return count;
}
