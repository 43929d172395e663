import { setTimeout as sleep } from 'node:timers/promises';

const STEP_MS = 20;

/** Resolves with the first answer that is neither undefined nor false; fails when there was none in time. */
export async function waitFor<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 5000,
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`waited ${withinMs} ms in vain for ${what}`);
    await sleep(STEP_MS);
  }
}

/** The same promise, but it fails when it takes too long. */
export async function within<T>(milliseconds: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
