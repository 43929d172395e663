import type { CallRecord } from '../browser/debug-tools.ts';
import type { SplitTestingOptions } from '../client/browser-client.ts';
import { ClientObserver } from './client-observer.ts';
import { showOverlay } from './overlay.ts';

/**
 * The entry of `/sdk-debug.js`, which the browser client loads with `debug: true` or `?sy_debug`. Takes the records
 * that were made before it was loaded, and all later ones.
 */
export function attach(records: CallRecord[], options: SplitTestingOptions): void {
  let render: (() => void) | undefined;
  const observer = new ClientObserver({
    ...options,
    // Not `console.debug`, which most consoles hide.
    say: (line) => console.log(`[switchyard] ${line}`),
    onChange: () => render?.(),
  });
  const observe = (record: CallRecord) => {
    // A mistake here must not break the page.
    try {
      observer.observe(record);
    } catch (error) {
      console.error('[switchyard] The debugging tools failed:', error);
    }
  };
  for (const record of records.splice(0)) observe(record);
  records.push = (...added) => {
    added.forEach(observe);
    return 0;
  };
  if (!new URLSearchParams(location.search).has('sy_debug')) return;
  const show = () => {
    render = showOverlay(observer.state);
  };
  if (document.body) show();
  else addEventListener('DOMContentLoaded', show, { once: true });
}
