import { cleanParameters } from '@switchyard/core/cleaning/clean-parameters';
import { attempt } from '../client/attempt.ts';
import type { SessionEvent } from '../client/split-testing-client.ts';

const UTM = /^utm_(source|medium|campaign|term|content)$/;
const MAX_URL = 4096;
const MAX_TITLE = 1024;
const MAX_UTM = 256;

/** The URL without its fragment, and with those parameters only that may be recorded: others may contain secrets. */
function recordable(url: string, allowed: readonly string[] = []): string {
  const [, page, query] = /([^?#]*)\??([^#]*)/.exec(url)!;
  const kept = cleanParameters(query!, allowed);
  return (page + (kept && `?${kept}`)).slice(0, MAX_URL);
}

export function pageUrl(allowed?: readonly string[]): string | undefined {
  return attempt(() => recordable(location.href, allowed));
}

/** Creates page view events. The referrer is the previous page view, and `document.referrer` for the first. */
export function createPageViews(allowed?: readonly string[]): () => SessionEvent {
  let referrer: string | undefined;
  let finishPrevious = () => {};
  return () => {
    finishPrevious();
    const url = pageUrl(allowed);
    const { search } = location;
    const utm = [...(search ? new URLSearchParams(search) : [])]
      .filter(([name]) => UTM.test(name))
      .map(([name, value]) => [name, value.slice(0, MAX_UTM)]);
    let title: string | undefined;
    // Apps change the title after the URL, so it is read as late as possible.
    finishPrevious = () => {
      title = document.title;
      referrer = url;
    };
    return {
      type: 'pageview',
      url,
      referrer: referrer ?? recordable(document.referrer, allowed),
      get title() {
        return (title ?? document.title).slice(0, MAX_TITLE);
      },
      properties: utm.length ? Object.fromEntries(utm) : undefined,
    };
  };
}

/** Calls `onChange` when path or query change, and when the page is restored from the back/forward cache. */
export function watchUrl(onChange: () => void, signal: AbortSignal): void {
  let last = location.pathname + location.search;
  const check = () => {
    const next = location.pathname + location.search;
    if (next !== last && !signal.aborted) {
      last = next;
      onChange();
    }
  };
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name];
    const watched: typeof original = function (this: History, ...args) {
      original.apply(this, args);
      check();
    };
    history[name] = watched;
    signal.addEventListener('abort', () => {
      // If somebody else has wrapped it since, ours stays in place and only forwards calls.
      if (history[name] === watched) history[name] = original;
    });
  }
  addEventListener('popstate', check, { signal });
  addEventListener('pageshow', ({ persisted }) => persisted && onChange(), { signal });
}
