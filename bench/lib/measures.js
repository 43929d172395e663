import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds, machineSeconds } from './children.js';

export const median = (numbers) => {
  const sorted = [...numbers].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** The sample below which `share` of all are. */
export const quantile = (samples, share) =>
  samples.toSorted((left, right) => left - right)[
    Math.min(samples.length - 1, Math.floor(samples.length * share))
  ];

/**
 * Requests per serving process before the first measured round. A process compiles its code while it serves: until about
 * so many requests, each takes several times the CPU time that it takes later. A time would not do, because a busy
 * machine serves few requests in it, and n processes need n times as many.
 */
const WARM_UP_REQUESTS = 20_000;

/** How long the generator runs; round 0 is the warm-up. For scripts with one request per visit. */
export const lengthOfRound = (round, milliseconds, processes = 1) =>
  round === 0 ? { visits: processes * WARM_UP_REQUESTS } : { milliseconds };

/** Adds the cores used by the server and by other processes to the result of a run. */
async function withCores(pid, run) {
  const before = cpuSeconds(pid);
  const machineBefore = machineSeconds();
  const result = await run();
  const serverCores = (cpuSeconds(pid) - before) / result.seconds;
  const machineCores = (machineSeconds() - machineBefore) / result.seconds;
  return { ...result, serverCores, otherCores: machineCores - serverCores - result.generatorCores };
}

/** Alternates one case between bare node:http and the server, so that machine drift affects both equally. */
export async function alternate({
  generator,
  bare,
  server,
  speedCase,
  rounds,
  milliseconds,
  connections = 64,
}) {
  const scripts = speedCase.scripts();
  const against = async (port, pid, length) => {
    const result = await withCores(pid, () => generator.run({ port, scripts, connections, ...length }));
    if (Object.keys(result.errors).length > 0)
      throw new Error(`error responses: ${JSON.stringify(result.errors)}`);
    return result;
  };
  const measured = [];
  for (let round = 0; round <= rounds; round++) {
    const length = lengthOfRound(round, milliseconds);
    const theirs = await against(bare.port, bare.pid, length);
    const ours = await against(server.port, server.child.pid, length);
    const loadedMs = speedCase.writes ? await server.settle() : 0;
    if (round > 0) measured.push({ theirs, ours, loadedMs });
  }
  return measured;
}

/** The figures are medians over the rounds, the ratio is the median of the ratios. */
export function summarize(rounds) {
  const ratios = rounds.map(({ theirs, ours }) => ours.perSecond / theirs.perSecond);
  return {
    bare: summary(rounds.map(({ theirs }) => theirs)),
    ours: summary(rounds.map(({ ours }) => ours)),
    ratio: median(ratios),
    ratios,
    loadedMs: median(rounds.map(({ loadedMs }) => loadedMs)),
  };
}

function summary(results) {
  const of = (field) => median(results.map((result) => result[field]));
  return {
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    serverCores: of('serverCores'),
    generatorCores: of('generatorCores'),
    otherCores: of('otherCores'),
  };
}

/** Duration of the first request, and the median of nine more. */
export async function timed(send) {
  const first = (await send()).milliseconds;
  const rest = [];
  for (let i = 0; i < 9; i++) {
    rest.push((await send()).milliseconds);
    await sleep(20);
  }
  return { first, median: median(rest) };
}
