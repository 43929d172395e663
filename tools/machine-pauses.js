// Measures when the machine stood still: its processors, or the disk.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const INTERVAL_MS = 250;
/** The shortest time limits of tests are a second. */
const PAUSE_MS = 1000;

/** Waits and writes a byte to the disk, again and again; whatever takes longer than it should is a pause. */
export function measurePauses(directory) {
  const pauses = [];
  let isRunning = true;
  const measuring = measure();
  return {
    async stop() {
      isRunning = false;
      await measuring;
      return pauses;
    },
  };

  async function measure() {
    const file = await open(join(directory, 'pauses'), 'w');
    try {
      while (isRunning) {
        const startedAt = performance.now();
        await sleep(INTERVAL_MS);
        await file.write('.', 0);
        await file.datasync();
        const lostMs = performance.now() - startedAt - INTERVAL_MS;
        if (lostMs >= PAUSE_MS) {
          pauses.push({ at: new Date().toISOString(), seconds: (lostMs / 1000).toFixed(1) });
        }
      }
    } finally {
      await file.close();
    }
  }
}
