import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A run ends at the first test that notices the change: random tests, which take longest, come last. */
export class FastFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isRandom = ({ moduleId }: TestSpecification) =>
      readFileSync(moduleId, 'utf8').includes("'fast-check'");
    return [...files.filter((file) => !isRandom(file)), ...files.filter(isRandom)];
  }
}
