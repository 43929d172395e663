import type * as browser from './browser.ts';

declare global {
  /** The exports of `/sdk.js`, for pages that load it with a script element. `undefined` if it was blocked. */
  var switchyard: typeof browser | undefined;
}
