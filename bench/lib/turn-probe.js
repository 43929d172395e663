// Preloaded into a server: measures the longest turn of its event loop. On SIGUSR2 it writes the figures to
// `$TURNS_FILE` and starts over.
import { openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const { TURNS_FILE } = process.env;

/** CPU time of this thread in milliseconds: unlike a clock, it stands still while other processes use the core. */
function cpuClock() {
  const file = openSync('/proc/thread-self/schedstat', 'r');
  const buffer = Buffer.alloc(64);
  return () => {
    const length = readSync(file, buffer, 0, buffer.length, 0);
    return Number(buffer.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6;
  };
}

if (isMainThread && TURNS_FILE) {
  const cpu = cpuClock();
  let longest = { cpuMs: 0, ms: 0 };
  let last = { cpu: cpu(), at: performance.now() };
  // A timer runs once per turn, if the last time was at least a millisecond ago.
  setInterval(() => {
    const now = { cpu: cpu(), at: performance.now() };
    longest = {
      cpuMs: Math.max(longest.cpuMs, now.cpu - last.cpu),
      ms: Math.max(longest.ms, now.at - last.at),
    };
    last = now;
  }, 1).unref();
  process.on('SIGUSR2', () => {
    writeFileSync(`${TURNS_FILE}.new`, JSON.stringify(longest));
    // Whole or not at all.
    renameSync(`${TURNS_FILE}.new`, TURNS_FILE);
    longest = { cpuMs: 0, ms: 0 };
  });
}
