// Loaded into a server before its own code: once a file `a-day-later` is in its data directory, its clock is a day
// ahead, and what runs every few minutes has its turn within seconds.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const LOOK_MS = 100;
const SLOW_MS = 60_000;
const SOON_MS = 3000;
const AHEAD_MS = 25 * 60 * 60 * 1000;

const file = join(process.env.DATA_DIR ?? '.', 'a-day-later');
const realNow = Date.now;
const realInterval = globalThis.setInterval;
const realTimeout = globalThis.setTimeout;

let ahead = 0;
Date.now = () => realNow() + ahead;
globalThis.setInterval = (run, ms, ...rest) => realInterval(run, ms >= SLOW_MS ? SOON_MS : ms, ...rest);
globalThis.setTimeout = (run, ms, ...rest) => realTimeout(run, ms >= SLOW_MS ? SOON_MS : ms, ...rest);

realInterval(() => {
  if (ahead === 0 && existsSync(file)) ahead = AHEAD_MS;
}, LOOK_MS).unref();
