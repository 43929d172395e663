// node bench/cleaning.js: what removing parameters and masking values costs per collect request (after npm run build).
import { DEFAULT_PRIVACY } from '../packages/core/dist/api/privacy.js';
import { createCleaner } from '../packages/core/dist/cleaning/create-cleaner.js';
import { table } from './lib/report.js';

const VIEW = {
  url: 'https://shop.example/category/shoes/red-running-shoes?utm_source=news&utm_medium=email&color=red&page=2',
  referrer: 'https://search.example/find?q=red+running+shoes&client=desktop',
  title: 'Red running shoes – The shop',
  properties: { utm_source: 'news', utm_medium: 'email' },
};
const ATTRIBUTES = { plan: 'trial', country: 'NL', cart: { items: 3, value: 59.9 } };
const MAX_URL = 4096;

/** Microseconds per call: the fastest of five rounds. */
function measure(run, calls = 20_000) {
  for (let i = 0; i < calls; i++) run();
  const rounds = Array.from({ length: 5 }, () => {
    const startedAt = performance.now();
    for (let i = 0; i < calls; i++) run();
    return (1000 * (performance.now() - startedAt)) / calls;
  });
  return Math.min(...rounds);
}

function collect({ url, referrer, text, json }) {
  url(VIEW.url);
  referrer(VIEW.referrer);
  text(VIEW.title);
  json(VIEW.properties);
  json(ATTRIBUTES);
}

const cleaner = createCleaner(DEFAULT_PRIVACY);
const unmasked = createCleaner({ ...DEFAULT_PRIVACY, maskValues: false });
const body = JSON.stringify({ events: [VIEW], attributes: ATTRIBUTES });
const parse = measure(() => JSON.parse(body));
const nothing = measure(() => [JSON.stringify(VIEW.properties), JSON.stringify(ATTRIBUTES)]);
const longest = (part) => `https://shop.example/${part.repeat(MAX_URL / part.length)}`.slice(0, MAX_URL);
const rows = [
  ['JSON.parse of the request, for comparison', parse],
  ['stored as it came', nothing],
  ['parameters removed', measure(() => collect(unmasked))],
  ['parameters removed, values masked', measure(() => collect(cleaner))],
  ...['a', 'a@', 'a%40', 'aA1', '1 ', 'x=1&'].map((part) => [
    `a URL of 4,096 characters: ${part.repeat(4)}…`,
    measure(() => cleaner.url(longest(part)), 500),
  ]),
];
console.log(
  table(
    ['', 'time'],
    rows.map(([name, time]) => [name, `${time.toFixed(1)} µs`]),
  ),
);
