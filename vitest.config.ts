import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { FailedFilesReporter } from './e2e/support/failed-files-reporter.ts';
import { LongFilesFirst } from './e2e/support/long-files-first.ts';
import { MissingProgramsReporter } from './e2e/support/missing-programs-reporter.ts';

export default defineConfig({
  // Tests read the sources of our packages, not their build output.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source', 'node'] } },
  test: {
    globalSetup: [
      // First, so that it is removed last.
      'e2e/support/temporary-directory.ts',
      'e2e/support/install-chromium.ts',
      'e2e/support/install-nginx.ts',
      'e2e/support/install-strace.ts',
      'packages/testing/src/clickhouse-engine/use-clickhouse.ts',
      'packages/testing/src/postgres/install-postgres.ts',
      'packages/testing/src/postgres/install-pgbouncer.ts',
    ],
    setupFiles: ['packages/testing/src/server/print-server-problems.ts'],
    reporters: ['default', new MissingProgramsReporter(), new FailedFilesReporter()],
    include: ['packages/*/src/**/*.test.ts', 'checks/**/*.test.ts', 'e2e/**/*.test.ts'],
    // Tests wait for child processes half of the time: with one worker per core, the cores would idle.
    maxWorkers: availableParallelism() + 2,
    // Files share a process, because loading the same modules again takes longer than many of them run.
    isolate: false,
    sequence: { sequencer: LongFilesFirst },
    // No file sees the spies of another one.
    restoreMocks: true,
    // Also against hanging only; the default is one second.
    expect: { poll: { timeout: 120_000 } },
    // Against hanging only: a machine that is busy with something else must not fail a test.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
