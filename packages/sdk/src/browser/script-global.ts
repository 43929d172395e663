import type * as browser from './browser.ts';

declare global {
  /** What `/sdk.js` and its loader define. `undefined` if a script element without the loader was blocked. */
  var switchyard: typeof browser | undefined;
}
