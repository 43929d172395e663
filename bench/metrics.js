// node bench/metrics.js: how long one metric and five metrics of a large test take in DuckDB, next to the counts of its
// goals. See README.md.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { fillStore, removeDirectory, THIS_CHECKOUT, temporaryDirectory } from './lib/children.js';
import { mb, ms, table, whole } from './lib/report.js';

const { values: options } = parseArgs({
  options: {
    visitors: { type: 'string', default: '1000000,10000000' },
    measure: { type: 'string' },
    file: { type: 'string' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/metrics.js [options]   (after npm run build)
  --visitors A,B,…   visitors of the test (default 1000000,10000000); storing ten million takes a quarter of an hour
  --measure NAME     only this row, as JSON; needs --file
  --file FILE        an event store with "activeVisitors" of lib/fill-store.js`;

const DAY = 24 * 60 * 60 * 1000;
const END = Number.MAX_SAFE_INTEGER;
const revenue = { goalId: 'revenue', of: 'sum' };

const FIVE = [
  { metricId: 'revenue', kind: 'mean', value: revenue, withinMs: 7 * DAY, cap: null },
  {
    metricId: 'order',
    kind: 'ratio',
    numerator: revenue,
    denominator: { goalId: 'revenue', of: 'count' },
    withinMs: null,
    cap: null,
  },
  { metricId: 'back', kind: 'retention', fromMs: DAY, toMs: 2 * DAY, goalId: null },
  {
    metricId: 'checkout',
    kind: 'funnel',
    steps: [{ path: '/product/*' }, { path: '/checkout*' }, { goalId: 'revenue' }],
    withinMs: 7 * DAY,
  },
  {
    metricId: 'load',
    kind: 'quantile',
    quantile: 0.9,
    value: { event: 'load', property: 'ms' },
    withinMs: null,
  },
];

const PHASE = {
  propertyId: 'shop',
  splitTestKey: 'hero',
  phase: 1,
  from: 0,
  to: END,
  startedAt: 0,
  endsAt: END,
  until: END,
  hasEarlierPhases: false,
  hasLaterPhases: false,
  days: { from: 0, to: 0, step: 1 },
};

const goals = { goalIds: ['signup', 'revenue'], preDays: 0, earlyDays: 0 };

/** What is measured, each in a process of its own, so that one does not have the memory of another. */
const MEASURED = {
  'the counts of two goals, in full': (store, query) => store.splitTestCounts({ ...query, ...goals }),
  'one metric of a goal': (store, query) => store.splitTestMetrics({ ...query, metrics: FIVE.slice(0, 1) }),
  'one metric of pages': (store, query) =>
    store.splitTestMetrics({
      ...query,
      metrics: [
        { metricId: 'pages', kind: 'mean', value: { path: '/checkout*' }, withinMs: null, cap: null },
      ],
    }),
  bounces: (store, query) =>
    store.splitTestMetrics({
      ...query,
      metrics: [{ metricId: 'bounces', kind: 'bounce', path: null, withinMs: null }],
    }),
  'five metrics': (store, query) => store.splitTestMetrics({ ...query, metrics: FIVE }),
};

async function measure(name, file) {
  const { openDuckDbEventStore } = await import('../packages/server/dist/duckdb-event-store.cjs');
  const store = await openDuckDbEventStore(file);
  const query = { ...PHASE, variationKeys: ['control', 'b'], now: Date.now() };
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const answer = await MEASURED[name](store, query);
  const milliseconds = performance.now() - startedAt;
  const cpu = process.cpuUsage(before);
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
  await store.close();
  const visitors = answer.groups
    .filter(({ metricId }) => metricId === answer.groups[0].metricId)
    .reduce((sum, group) => sum + group.visitors + (group.pending ?? 0), 0);
  console.log(JSON.stringify({ milliseconds, cpuMs: (cpu.user + cpu.system) / 1000, peak, visitors }));
}

async function measureAll(visitors) {
  const directory = temporaryDirectory();
  await fillStore(THIS_CHECKOUT, directory, 'activeVisitors', visitors);
  const rows = [];
  for (const name of Object.keys(MEASURED)) {
    const args = [
      fileURLToPath(import.meta.url),
      '--measure',
      name,
      '--file',
      join(directory, 'events.duckdb'),
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const measured = JSON.parse(stdout);
    if (measured.visitors !== visitors) throw new Error(`${name} counted ${measured.visitors} visitors`);
    rows.push([
      whole(visitors),
      name,
      ms(measured.milliseconds),
      ms(measured.cpuMs),
      mb(measured.peak / 2 ** 20),
    ]);
  }
  removeDirectory(directory);
  return rows;
}

const HEADER = ['visitors', 'what', 'time', 'CPU time', 'memory, peak'];

if (options.help) console.log(HELP);
else if (options.measure !== undefined) await measure(options.measure, options.file);
else {
  const rows = [];
  for (const size of options.visitors.split(',').map(Number)) rows.push(...(await measureAll(size)));
  console.log(table(HEADER, rows));
}
