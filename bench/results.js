// node bench/results.js [DIR]: how long the results of a large test take, idle and during ingestion; DIR is the built
// checkout of another version. See README.md.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  binOf,
  fillStore,
  Generator,
  removeDirectory,
  Server,
  THIS_CHECKOUT,
  temporaryDirectory,
} from './lib/children.js';
import { fetchResults, SPEED_CASES } from './lib/fixture.js';
import { median } from './lib/measures.js';
import { mb, ms, table, whole } from './lib/report.js';
import { deleteSavedAnswers } from './lib/saved-answers.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    visitors: { type: 'string', default: '1000000,10000000' },
    seconds: { type: 'string', default: '20' },
    connections: { type: 'string', default: '16' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/results.js [options] [DIR]   (after npm run build)
  DIR                a built checkout of another version, measured on the same events
  --visitors A,B,…   visitors of the test (default 1000000,10000000); storing ten million takes a few minutes
  --seconds S        how long to ingest while results are requested (default 20)
  --connections N    connections that ingest (default 16)`;

const STARTS = 3;
/** How long after a start the visitors of running tests have been counted ahead, also during ingestion. */
const COUNTED_AHEAD_MS = 30_000;
const REPEATED_ANSWERS = 5;
const NEW_VISITORS = 1000;

/** The first results after each of several starts, of all builds in turns. */
async function firstResults(dataDirs, visitors, builds, { areCounted }) {
  const figures = builds.map(() => ({ times: [], peaks: [] }));
  for (let start = 0; start < STARTS; start++) {
    for (const [i, { bin }] of builds.entries()) {
      if (!areCounted) await deleteSavedAnswers(dataDirs[i]);
      const server = await Server.start(dataDirs[i], { bin });
      const { body, milliseconds } = await fetchResults(server.url);
      check(body, visitors);
      figures[i].times.push(milliseconds);
      figures[i].peaks.push(server.memory().peak);
      await server.stop();
    }
  }
  return figures.map(({ times, peaks }) => ({ milliseconds: median(times), peak: Math.max(...peaks) }));
}

/** The first results half a minute after a start, if they were never counted before. */
async function countedAhead(dataDir, bin) {
  await deleteSavedAnswers(dataDir);
  const server = await Server.start(dataDir, { bin });
  await sleep(COUNTED_AHEAD_MS);
  const { milliseconds } = await fetchResults(server.url);
  await server.stop();
  return milliseconds;
}

/** The first results some time after a start, during ingestion. */
async function firstWhileIngesting(generator, dataDir, bin, afterMs) {
  const server = await Server.start(dataDir, { bin });
  const load = generator.run({
    ...ingestion(server),
    milliseconds: afterMs + 1000 * Number(options.seconds),
  });
  await sleep(afterMs);
  const { milliseconds } = await fetchResults(server.url);
  await load;
  await server.settle();
  return { server, milliseconds };
}

/** All three of them during ingestion; the server of the last one goes on. */
async function firstResultsWhileIngesting(generator, dataDir, bin) {
  await deleteSavedAnswers(dataDir);
  const never = await firstWhileIngesting(generator, dataDir, bin, 1000);
  const { peak } = never.server.memory();
  await never.server.stop();
  const restarted = await firstWhileIngesting(generator, dataDir, bin, 1000);
  await restarted.server.stop();
  await deleteSavedAnswers(dataDir);
  const { server, milliseconds } = await firstWhileIngesting(generator, dataDir, bin, COUNTED_AHEAD_MS);
  return { times: [never.milliseconds, milliseconds, restarted.milliseconds], peak, server };
}

const ingestion = ({ port }) => ({
  port,
  scripts: SPEED_CASES[1].scripts(),
  connections: Number(options.connections),
});

/** Results with nothing but new visitors since the last ones. */
async function repeatedResults(generator, server) {
  const times = [];
  for (let round = 0; round < REPEATED_ANSWERS; round++) {
    await generator.run({ ...ingestion(server), visits: NEW_VISITORS });
    // Until they are stored.
    await sleep(2000);
    times.push((await fetchResults(server.url)).milliseconds);
  }
  return median(times);
}

/** Requests results in a loop during ingestion, to measure how long exposures wait for their response. */
async function whileIngesting(generator, server) {
  const load = generator.run({ ...ingestion(server), milliseconds: 1000 * Number(options.seconds) });
  const latencies = [];
  let isOver = false;
  const requesting = (async () => {
    while (!isOver) latencies.push((await fetchResults(server.url)).milliseconds);
  })();
  const result = await load;
  isOver = true;
  await requesting;
  return { ...result, results: Math.max(...latencies) };
}

function check(body, visitors) {
  const counted = body.variations.reduce((sum, variation) => sum + variation.visitors, 0);
  if (counted !== visitors) throw new Error(`stored ${visitors} visitors, but the results count ${counted}`);
  if (body.goals.length !== 3 || body.goals.some(({ counts }) => counts[0].converted === 0)) {
    throw new Error('conversions are missing');
  }
}

async function measure(generator, visitors, builds) {
  const dataDirs = [];
  for (const { checkout } of builds) {
    dataDirs.push(temporaryDirectory());
    await fillStore(checkout, dataDirs.at(-1), 'visitors', visitors);
  }
  const never = await firstResults(dataDirs, visitors, builds, { areCounted: false });
  const restarted = await firstResults(dataDirs, visitors, builds, { areCounted: true });
  const rows = [];
  for (const [i, { name, bin }] of builds.entries()) {
    const ahead = await countedAhead(dataDirs[i], bin);
    const ingesting = await firstResultsWhileIngesting(generator, dataDirs[i], bin);
    const { server } = ingesting;
    const repeated = await repeatedResults(generator, server);
    const idle = await generator.run({ ...ingestion(server), milliseconds: 5000 });
    await server.settle();
    const loaded = await whileIngesting(generator, server);
    const peak = Math.max(ingesting.peak, server.memory().peak);
    await server.stop();
    rows.push([
      whole(visitors),
      name,
      [never[i].milliseconds, ahead, restarted[i].milliseconds].map(ms).join(' / '),
      ingesting.times.map(ms).join(' / '),
      ms(repeated),
      ms(loaded.results),
      `${whole(idle.perSecond)}/s, p99 ${ms(idle.p99)}`,
      `${whole(loaded.perSecond)}/s, p99 ${ms(loaded.p99)}`,
      `${mb(never[i].peak)} / ${mb(peak)}`,
    ]);
  }
  for (const dataDir of dataDirs) removeDirectory(dataDir);
  return rows;
}

const HEADER = [
  'visitors',
  'version',
  'first results of 3 goals after a start: never counted / counted ahead / counted before the start',
  'the same during ingestion',
  'again, 1,000 visitors later',
  'slowest during ingestion',
  'ingestion only',
  'ingestion during results',
  'memory, peak: first results / all',
];

if (options.help) {
  console.log(HELP);
} else {
  const generator = new Generator();
  const buildOf = (name, checkout) => ({ name, checkout, bin: binOf(checkout) });
  const builds = [buildOf('now', THIS_CHECKOUT)];
  if (positionals[0] !== undefined) builds.unshift(buildOf('before', positionals[0]));
  const rows = [];
  for (const size of options.visitors.split(',').map(Number)) {
    rows.push(...(await measure(generator, size, builds)));
    console.error(`${whole(size)} visitors: done`);
  }
  console.log(table(HEADER, rows));
  generator.stop();
}
