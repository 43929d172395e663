import { attempt } from '../client/attempt.ts';
import type { SplitTestingOptions } from '../client/browser-client.ts';
import type { Host } from '../client/host.ts';
import { warn } from '../client/warn.ts';

/** One call of a watched function of the host or of the flags. */
export type CallRecord = [
  at: number,
  name: 'fetch' | 'schedule' | 'onChoice' | 'get' | 'set' | 'flag',
  args: unknown[],
  result: unknown,
];

/** Until the tools are loaded; later calls are not recorded. */
const MAX_RECORDS = 200;

interface Watch {
  /** Records the calls of a host. */
  watchHost(host: Host): void;
  /** Returns a function that does the same, and whose calls are recorded. */
  watched<Args extends unknown[], Result>(
    name: CallRecord[1],
    original: (...args: Args) => Result,
  ): (...args: Args) => Result;
}

/**
 * With `debug: true` or `?sy_debug`, loads the debugging tools and returns what records calls for them. The tools come from the service, so that pages that nobody debugs do not contain them.
 */
export function loadDebugTools(options: SplitTestingOptions & { debug?: boolean }): Watch | undefined {
  const { apiUrl, debug } = { ...options };
  const isWanted = debug || attempt(() => location.search.includes('sy_debug'));
  if (!isWanted || !apiUrl || typeof document === 'undefined') return undefined;
  const records: CallRecord[] = [];
  const watched: Watch['watched'] =
    (name, original) =>
    (...args) => {
      const result = original(...args);
      // Pages may read a flag again and again.
      const isKnown =
        name === 'flag' && records.some(([, , [key], value]) => key === args[0] && value === result);
      if (records.length < MAX_RECORDS && !isKnown) records.push([Date.now(), name, args, result]);
      return result;
    };
  import(
    /* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ `${apiUrl.replace(/\/+$/, '')}/sdk-debug.js`
  ).then(
    ({ attach }) => attach(records, options),
    // A content security policy may forbid it.
    (error) => warn('cannot load the debugging tools:', error),
  );
  return {
    watched,
    watchHost(host) {
      const { store } = host;
      host.fetch = watched('fetch', host.fetch);
      host.schedule = watched('schedule', host.schedule);
      host.onChoice = watched('onChoice', host.onChoice);
      // What is cached decides; other keys are read too often.
      const { get } = store;
      const watchedGet = watched('get', get);
      store.get = (key) => (/:(config|flags)$/.test(key) ? watchedGet : get)(key);
      store.set = watched('set', store.set);
    },
  };
}
