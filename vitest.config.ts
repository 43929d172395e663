import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Tests read the sources of our packages, not their build output.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source', 'node', 'import', 'module', 'default'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'checks/**/*.test.ts', 'e2e/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
