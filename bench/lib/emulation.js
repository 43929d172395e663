// How fast the engine is on this machine, to compare it with a ClickHouse server.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { engineCommand } from './databases.js';
import { median } from './measures.js';

const RUNS = 3;
const PROGRAM = fileURLToPath(new URL('./computation.cjs', import.meta.url));

/** Computes without reading anything, so it takes the same time on every server with the same cores. */
export const STATEMENT = 'SELECT sum(cityHash64(number)) FROM numbers(100000000)';

export async function statementMs(url) {
  const times = [];
  for (let run = 0; run < RUNS; run++) {
    const startedAt = performance.now();
    const response = await fetch(url, { method: 'POST', body: STATEMENT });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

/** How many times as long a program of Node.js takes when it runs as the engine does. */
export async function emulationFactor() {
  return speed([process.execPath]) / speed(await engineCommand());
}

/** The program measures itself: its start would take most of the time. */
function speed([program, ...args]) {
  const runs = Array.from({ length: RUNS }, () =>
    Number(execFileSync(program, [...args, PROGRAM], { encoding: 'utf8' })),
  );
  return median(runs);
}
