// node bench/audiences.js: what the audience of a split test costs: to decide in pages and on servers, beside the conditions
// of a flag, and to publish. Needs npm run build.
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { isInAudience } from '../packages/core/dist/evaluation/audience.js';
import * as values from '../packages/core/dist/evaluation/audience-values.js';
import { publishAudience } from '../packages/core/dist/evaluation/publish-audience.js';
import { createAudienceTest } from '../packages/core/dist/evaluation/segments.js';
import { table } from './lib/report.js';

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } });

/** None of the conditions is a pattern. */
const regex = () => () => false;
const tools = {
  salt: 'seed',
  sha256: (text) => createHash('sha256').update(text).digest('hex').slice(0, 32),
  regex,
};
const condition = (attribute, operator, ...given) => ({ attribute, operator, values: given });
const addresses = Array.from({ length: 1000 }, (_, index) => `person-${index}@shop.example`);
const SEGMENTS = [{ id: 'staff', conditions: [condition('plan', 'equals', 'staff')] }];
const AUDIENCES = [
  ['one condition', [condition('plan', 'in', 'free', 'trial')]],
  [
    'three conditions and a segment',
    [
      condition('plan', 'in', 'free', 'trial'),
      condition('path', 'startsWith', '/pricing'),
      condition('device', 'equals', 'desktop'),
      { operator: 'inSegment', values: ['staff'], negate: true },
    ],
  ],
  ['1,000 addresses', [condition('email', 'in', ...addresses)]],
];
const VISITOR = {
  plan: 'free',
  path: '/pricing/all',
  email: 'person-999@shop.example',
  userAgent:
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  device: 'desktop',
};

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Median microseconds per call. */
function time(run, calls) {
  const samples = [];
  for (let round = 0; round <= Number(options.rounds); round++) {
    const startedAt = performance.now();
    for (let call = 0; call < calls; call++) run();
    // Round 0 is a warm-up.
    if (round > 0) samples.push(((performance.now() - startedAt) * 1000) / calls);
  }
  return median(samples);
}

const rows = AUDIENCES.map(([name, conditions]) => {
  const published = publishAudience({ conditions }, SEGMENTS, tools);
  const asFlag = createAudienceTest({ conditions }, SEGMENTS, regex);
  const inPage = () => isInAudience(published, (attribute) => VISITOR[attribute], { regex, values });
  if (inPage() !== true || asFlag(VISITOR) !== true) throw new Error(`${name} must match`);
  const calls = name === '1,000 addresses' ? 20 : 20_000;
  const [decided, flag] = [time(inPage, calls), time(() => asFlag(VISITOR), calls * 10)];
  const publishing = time(() => publishAudience({ conditions }, SEGMENTS, tools), 20);
  const microseconds = (value) => `${value.toPrecision(2)} µs`;
  const size = `${(JSON.stringify(published).length / 1000).toFixed(1)} kB`;
  return [name, microseconds(decided), microseconds(flag), microseconds(publishing), size];
});
console.log(table(['audience', 'decided', 'as conditions of a flag', 'published', 'in the config'], rows));
