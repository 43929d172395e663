import type { Logger } from 'pino';
import { expect, test } from 'vitest';
import { startJobs } from './scheduler.ts';

test('a job that fails again and again logs each reason once, until it succeeds', async () => {
  const logged: string[] = [];
  const log = { error: ({ err }: { err: Error }) => logged.push(err.message) } as unknown as Logger;
  const outcomes = ['down', 'down', 'down', 'full', 'full', undefined, 'full', 'down'];
  let runs = 0;
  const run = async () => {
    const outcome = outcomes[runs++];
    if (outcome !== undefined) throw new Error(outcome);
  };
  const stop = startJobs([{ name: 'job', everyMs: 1, run }], log);
  await expect.poll(() => runs).toBeGreaterThan(outcomes.length);
  await stop();
  expect(logged).toEqual(['down', 'full', 'full', 'down']);
});
