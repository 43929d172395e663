import { attempt } from '../client/attempt.ts';
import type { SessionEvent } from '../client/split-testing-client.ts';

const UTM = /^utm_(source|medium|campaign|term|content)$/;
const MAX_URL = 4096;
const MAX_TITLE = 1024;
const MAX_UTM = 256;

/** The address without its fragment, which belongs to the page alone and may hold secrets. */
export function pageUrl(): string | undefined {
  return attempt(() => location.href.split('#', 1)[0]?.slice(0, MAX_URL));
}

/** Makes page views; each refers to the one before, the first to where the visitor came from. */
export function createPageViews(): () => SessionEvent {
  let referrer: string | undefined;
  let leave = () => {};
  return () => {
    leave();
    const url = pageUrl();
    const utm = [...new URLSearchParams(location.search)]
      .filter(([name]) => UTM.test(name))
      .map(([name, value]) => [name, value.slice(0, MAX_UTM)]);
    let title: string | undefined;
    // Apps set the title after they have changed the address: it is read as late as possible.
    leave = () => {
      title = document.title;
      referrer = url;
    };
    return {
      type: 'pageview',
      timestamp: Date.now(),
      url,
      referrer: referrer ?? document.referrer.slice(0, MAX_URL),
      get title() {
        return (title ?? document.title).slice(0, MAX_TITLE);
      },
      properties: utm.length ? Object.fromEntries(utm) : undefined,
    };
  };
}

/** Calls back when the path or query changes, by whatever way, and when the page comes back from the cache. */
export function watchAddress(changed: () => void, signal: AbortSignal): void {
  let last = location.pathname + location.search;
  const look = () => {
    const next = location.pathname + location.search;
    if (next !== last && !signal.aborted) {
      last = next;
      changed();
    }
  };
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name];
    const watched: typeof original = function (this: History, ...args) {
      original.apply(this, args);
      look();
    };
    history[name] = watched;
    signal.addEventListener('abort', () => {
      // Whoever has wrapped it after us keeps working; ours only passes calls on from now.
      if (history[name] === watched) history[name] = original;
    });
  }
  addEventListener('popstate', look, { signal });
  addEventListener('pageshow', ({ persisted }) => persisted && changed(), { signal });
}
