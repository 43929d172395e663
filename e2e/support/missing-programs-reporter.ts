import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { findChromium } from './chromium.ts';

/** Says at the end how many tests did not run, and which missing programs are why. */
export class MissingProgramsReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const provided = this.#vitest?.getRootProject().getProvidedContext();
    const missing = [
      ...((await findChromium()) === undefined ? ['Chromium (install it, or set CHROMIUM_PATH)'] : []),
      ...(provided?.postgresStarter === undefined ? ['PostgreSQL'] : []),
      ...(provided?.clickhouseUrl === undefined ? ['ClickHouse (see CONTRIBUTING.md)'] : []),
    ];
    const skipped = modules.flatMap(({ children }) => [...children.allTests('skipped')]);
    if (missing.length === 0 || skipped.length === 0) return;
    console.warn(`\n${skipped.length} tests did not run. Not found: ${missing.join(', ')}.`);
  }
}
