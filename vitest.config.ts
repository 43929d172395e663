import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Tests read the sources of our packages, not their build output.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source', 'node', 'import', 'module', 'default'] } },
  test: {
    globalSetup: ['e2e/support/install-chromium.ts'],
    include: ['packages/*/src/**/*.test.ts', 'checks/**/*.test.ts', 'e2e/**/*.test.ts'],
    // Server tests mostly wait for a child process: on two cores the default of one worker would idle.
    maxWorkers: Math.max(2, availableParallelism()),
    // A new process per file would spend a third of the time on loading the same modules again.
    isolate: false,
    restoreMocks: true,
    // Against hanging only: a machine that is busy with something else must not fail a test.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
