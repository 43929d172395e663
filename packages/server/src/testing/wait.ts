import { setTimeout as sleep } from 'node:timers/promises';

/** Nothing here takes this long, unless it never comes: how fast things are is measured in `bench`, not tested. */
const PATIENCE_MS = 60_000;
const STEP_MS = 20;

/** Resolves with the first answer that is neither undefined nor false. */
export async function waitFor<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await sleep(STEP_MS);
  }
}

/** The same promise, but it fails with a name when it does not settle. */
export async function settled<T>(what: string, promise: Promise<T>, withinMs = PATIENCE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`waited in vain for ${what}`)), withinMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
