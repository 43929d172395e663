import { defineConfig } from 'vitest/config';
import everything from '../vitest.config.ts';

/** `npm run test:quick`: core, the SDK, HTTP and the import walls, without what takes seconds. */
export default defineConfig({
  ...everything,
  test: {
    ...everything.test,
    include: ['checks', 'packages/core', 'packages/sdk', 'packages/server/src/http'].map(
      (folder) => `${folder}/**/*.test.ts`,
    ),
    exclude: [
      '**/node_modules/**',
      '**/*.simulation.test.ts',
      'packages/core/src/stats/finite.property.test.ts',
      'packages/sdk/src/package.test.ts',
      'packages/sdk/src/node/exit.test.ts',
      'packages/sdk/src/node/readme-servers.test.ts',
      'packages/sdk/src/node/delivery/crashes.test.ts',
      'packages/sdk/src/node/flags/flag-vectors.test.ts',
      'packages/sdk/src/node/flags/flags-live.test.ts',
      'packages/server/src/http/access/rate-limit.test.ts',
      'packages/server/src/http/limits/connection-limits.test.ts',
      'packages/server/src/http/pipeline/fuzz.test.ts',
      'packages/server/src/http/pipeline/slow-client.test.ts',
      'packages/server/src/http/pipeline/text.test.ts',
      'packages/server/src/http/pipeline/unread-responses.test.ts',
    ],
  },
});
