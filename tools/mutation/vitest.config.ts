import { defineConfig } from 'vitest/config';

/** For mutation runs only: the unit tests of core, without the simulations that would run for every mutant. */
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source', 'node'] } },
  test: {
    include: ['packages/core/src/**/*.test.ts'],
    exclude: ['**/*.simulation.test.ts'],
    isolate: false,
    restoreMocks: true,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
