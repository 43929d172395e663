import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Writes the files with failed tests to the file `FAILED_FILES`, for `tools/test.js`. */
export class FailedFilesReporter implements Reporter {
  #root = '';

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const target = process.env.FAILED_FILES;
    if (target === undefined) return;
    const failed = modules
      .filter((module) => !module.ok())
      .map(({ moduleId }) => relative(this.#root, moduleId));
    writeFileSync(target, JSON.stringify(failed));
  }
}
