// Preloaded into a server: once a file `a-day-later` exists in its data directory, its clock is a day ahead. Timers of
// a few minutes are shortened to one second.
import { existsSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const POLL_MS = 50;
const MINUTE_MS = 60_000;
const AHEAD_MS = 25 * 60 * MINUTE_MS;

/** Longer timers are not shortened. */
const shortened = (ms) => (ms >= MINUTE_MS && ms <= 15 * MINUTE_MS ? 1000 : ms);

const promises = createRequire(import.meta.url)('node:timers/promises');
const { setInterval, setTimeout } = globalThis;
const { setTimeout: sleep } = promises;
globalThis.setInterval = (run, ms, ...rest) => setInterval(run, shortened(ms), ...rest);
globalThis.setTimeout = (run, ms, ...rest) => setTimeout(run, shortened(ms), ...rest);
promises.setTimeout = (ms, ...rest) => sleep(shortened(ms), ...rest);
syncBuiltinESMExports();

const realNow = Date.now;
let ahead = 0;
Date.now = () => realNow() + ahead;
const file = join(process.env.DATA_DIR, 'a-day-later');
setInterval(() => {
  if (existsSync(file)) ahead = AHEAD_MS;
}, POLL_MS).unref();
