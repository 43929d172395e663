import { attempt } from '../client/attempt.ts';
import type { SplitTestingOptions } from '../client/browser-client.ts';
import type { Host } from '../client/host.ts';
import { warn } from '../client/warn.ts';

/** One call of a watched function of the host. */
export type CallRecord = [
  at: number,
  name: 'fetch' | 'schedule' | 'onChoice' | 'set',
  args: unknown[],
  result: unknown,
];

/** Until the tools are loaded; later calls are not recorded. */
const MAX_RECORDS = 200;

/**
 * With `debug: true` or `?sy_debug`, loads the debugging tools and returns a function that records the calls of a host
 * for them. The tools come from the service, so that pages that nobody debugs do not contain them.
 */
export function loadDebugTools(
  options: SplitTestingOptions & { debug?: boolean },
): ((host: Host) => void) | undefined {
  const { apiUrl, debug } = { ...options };
  const isWanted = debug || attempt(() => /[?&]sy_debug\b/.test(location.search));
  if (!isWanted || !apiUrl || typeof document === 'undefined') return undefined;
  const records: CallRecord[] = [];
  const watched =
    <Args extends unknown[], Result>(name: CallRecord[1], original: (...args: Args) => Result) =>
    (...args: Args): Result => {
      const result = original(...args);
      if (records.length < MAX_RECORDS) records.push([Date.now(), name, args, result]);
      return result;
    };
  import(/* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ `${apiUrl.replace(/\/+$/, '')}/sdk-debug.js`).then(
    ({ attach }) => attach(records, options),
    // A content security policy may forbid it.
    (error) => warn('cannot load the debugging tools:', error),
  );
  return (host) => {
    host.fetch = watched('fetch', host.fetch);
    host.schedule = watched('schedule', host.schedule);
    host.onChoice = watched('onChoice', host.onChoice);
    host.store.set = watched('set', host.store.set);
  };
}
