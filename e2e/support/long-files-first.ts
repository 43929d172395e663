import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Starts of paths. All tests on ClickHouse wait for one engine, so they begin at once. */
const FIRST = [
  [
    'packages/server/src/events/clickhouse/clickhouse-event-store',
    'packages/server/src/events/duckdb/duckdb-event-store',
    'e2e/figures.test',
    'e2e/truth.test',
  ],
  ['packages/server/src/events/clickhouse/', 'e2e/nodes/', 'e2e/documentation/', 'e2e/crashes/'],
  ['e2e/'],
  [
    'packages/server/src/events/duckdb/',
    'packages/server/src/features/aa-test/',
    'packages/server/src/features/reports/',
    'packages/server/src/http/pipeline/slow-client',
  ],
];

/**
 * Vitest knows how long files take only after the first run on a machine. Without that, long files at the end of the run
 * would leave the other workers without work.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const path = relative(this.ctx.config.root, moduleId);
      const found = FIRST.findIndex((starts) => starts.some((start) => path.startsWith(start)));
      return found < 0 ? FIRST.length : found;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
