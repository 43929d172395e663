import type { Switchyard } from '../../packages/sdk/src/browser/browser.ts';

declare global {
  /** The client of the test pages. */
  var sy: Switchyard;
}
