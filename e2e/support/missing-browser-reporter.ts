import type { Reporter, TestModule } from 'vitest/node';
import { findChromium } from './chromium.ts';

/** Says at the end how many tests did not run because there is no browser. */
export class MissingBrowserReporter implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    if ((await findChromium()) !== undefined) return;
    const skipped = modules.flatMap(({ children }) => [...children.allTests('skipped')]);
    console.warn(
      `\n${skipped.length} tests did not run: Chromium not found. Install it, or set CHROMIUM_PATH.`,
    );
  }
}
