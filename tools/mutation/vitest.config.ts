import { defineConfig } from 'vitest/config';
import { FastFilesFirst } from './fast-files-first.ts';

/** For mutation runs only: the unit tests of core, without those that take seconds for every mutant. */
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source', 'node'] } },
  test: {
    include: ['packages/core/src/**/*.test.ts'],
    exclude: ['**/*.simulation.test.ts', '**/stats/**/*.property.test.ts'],
    isolate: false,
    sequence: { sequencer: FastFilesFirst },
    restoreMocks: true,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
