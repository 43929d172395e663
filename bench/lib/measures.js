import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds, machineSeconds } from './children.js';

const median = (numbers) => {
  const sorted = [...numbers].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** How the server, the generator and everybody else shared the cores during a run. */
async function observed(pid, run) {
  const before = cpuSeconds(pid);
  const machineBefore = machineSeconds();
  const result = await run();
  const serverCores = (cpuSeconds(pid) - before) / result.seconds;
  const machineCores = (machineSeconds() - machineBefore) / result.seconds;
  return { ...result, serverCores, otherCores: machineCores - serverCores - result.generatorCores };
}

/**
 * Runs one case against bare node:http and against the server in turn, so that a drift of the machine meets both
 * alike; the figures are medians over the rounds, the ratio is the median of the ratios.
 */
export async function compare({
  generator,
  bare,
  server,
  speedCase,
  rounds,
  milliseconds,
  connections = 64,
}) {
  const scripts = speedCase.scripts();
  const against = async (port, pid, time) => {
    const result = await observed(pid, () =>
      generator.run({ port, scripts, connections, milliseconds: time }),
    );
    if (Object.keys(result.refusals).length > 0)
      throw new Error(`refused: ${JSON.stringify(result.refusals)}`);
    return result;
  };
  const theirs = [];
  const ours = [];
  const loads = [];
  for (let round = 0; round <= rounds; round++) {
    // Round 0 warms both up.
    const time = round === 0 ? Math.min(milliseconds, 2000) : milliseconds;
    const bareResult = await against(bare.port, bare.pid, time);
    const ourResult = await against(server.port, server.child.pid, time);
    const loadedMs = speedCase.writes ? await server.settle() : 0;
    if (round === 0) continue;
    theirs.push(bareResult);
    ours.push(ourResult);
    loads.push(loadedMs);
  }
  const ratios = ours.map(({ perSecond }, i) => perSecond / theirs[i].perSecond);
  return {
    bare: summary(theirs),
    ours: summary(ours),
    ratio: median(ratios),
    ratios,
    loadedMs: median(loads),
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

/** How long an answer takes: the first time, and the median of nine more. */
export async function timed(ask) {
  const first = (await ask()).milliseconds;
  const rest = [];
  for (let i = 0; i < 9; i++) {
    rest.push((await ask()).milliseconds);
    await sleep(20);
  }
  return { first, median: median(rest) };
}
