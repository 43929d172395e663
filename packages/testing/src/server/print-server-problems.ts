import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach } from 'vitest';
import { takeProblems } from './server-problems.ts';

/** A response can arrive before the line that says why it failed. */
const LAST_LINES_MS = 100;

// Runs before each test file: a failed test prints what servers have logged meanwhile.

beforeEach(({ onTestFinished, task }) => {
  onTestFinished(async () => {
    if (task.result?.state === 'fail') {
      await sleep(LAST_LINES_MS);
      const problems = takeProblems();
      if (problems.length > 0) console.error(`Problems that servers have logged:\n${problems.join('\n')}`);
    }
    // Not those of the next test.
    takeProblems();
  });
});
