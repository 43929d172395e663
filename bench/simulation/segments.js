import { differingSegments } from '../../packages/core/dist/stats/report/segment-effects.js';
import { whole } from '../lib/report.js';
import { checkGuarantee } from './guarantees.js';
import { binomial, options } from './random.js';
import { percent, RATE } from './shop.js';

const DAYS = 28;
const SEGMENTS = 8;
const TESTS = Math.ceil(options.tests / 2);

/** What `differingSegments` needs of the comparison of a segment. */
function comparisonOf([control, variation]) {
  const rate = ({ n, converted }) => converted / n;
  const variance = (arm) => (rate(arm) * (1 - rate(arm))) / arm.n;
  const difference = rate(variation) - rate(control);
  const relative = rate(control) > 0 ? { estimate: difference / rate(control) } : null;
  const result = {
    key: 'b',
    n: variation.n,
    mean: rate(variation),
    absolute: { estimate: difference },
    relative,
    standardError: Math.sqrt(variance(control) + variance(variation)) || null,
  };
  const base = { key: 'control', n: control.n, mean: rate(control) };
  return { metrics: [{ metric: 'conversion-rate', decides: true, variations: [base, result] }] };
}

/** Variation b has an effect in all segments, and another one in the first. */
function simulate(visitors, effect, firstEffect) {
  const segments = Array.from({ length: SEGMENTS }, () => [
    { n: 0, converted: 0 },
    { n: 0, converted: 0 },
  ]);
  const each = Math.round(visitors / SEGMENTS / 2);
  const found = new Set();
  for (let day = 0; day < DAYS; day++) {
    for (const [index, arms] of segments.entries()) {
      for (const [arm, counts] of arms.entries()) {
        const change = arm === 0 ? 0 : index === 0 ? firstEffect : effect;
        counts.n += each;
        counts.converted += binomial(each, RATE * (1 + change));
      }
    }
    for (const { segment } of differingSegments(segments.map(comparisonOf), 0.05)) found.add(segment);
  }
  return found;
}

function segmentRows() {
  return [
    [2000, 0.1, 0.1],
    [20_000, 0.1, 0.1],
    [2000, 0.1, -0.3],
    [20_000, 0.1, -0.1],
  ].map(([visitors, effect, firstEffect]) => {
    const isAlike = effect === firstEffect;
    let [first, others, any] = [0, 0, 0];
    for (let test = 0; test < TESTS; test++) {
      const found = simulate(visitors, effect, firstEffect);
      first += Number(found.has(0)) / TESTS;
      others += Number(found.size > Number(found.has(0))) / TESTS;
      any += Number(found.size > 0) / TESTS;
    }
    if (isAlike) checkGuarantee('segments, false alarms', any, 0, 0.05, TESTS);
    const signed = (share) => `${share < 0 ? '-' : '+'}${Math.round(Math.abs(100 * share))} %`;
    return [whole(visitors), signed(effect), signed(firstEffect), percent(first), percent(others)];
  });
}

export const sections = [
  {
    title: `Segments that differ from the rest: ${SEGMENTS} segments, ${DAYS} daily looks, ${whole(TESTS)} tests each`,
    header: [
      'visitors a day',
      'effect',
      'effect in the first segment',
      'first segment named',
      'another one named',
    ],
    rows: segmentRows,
  },
];
