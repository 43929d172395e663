// Loaded into a server before its own code: once there is a file `a-day-later` in its data directory, its clock is
// a day ahead. What it does every few minutes, it does every second.
import { existsSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const LOOK_MS = 50;
const MINUTE_MS = 60_000;
const AHEAD_MS = 25 * 60 * MINUTE_MS;

/** What is rarer than every few minutes stays as rare. */
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
}, LOOK_MS).unref();
