import { attempt } from '../client/attempt.ts';
import type { Host, Store } from '../client/host.ts';
import type { Choice } from '../client/split-tests.ts';
import { warn } from '../client/warn.ts';
import { loadAudiences } from './load-audiences.ts';

/** `localStorage`, or memory where it is not available. */
function createStore(): Store {
  const memory = new Map<string, string>();
  const local = () => localStorage;
  return {
    get: (key) => attempt(() => JSON.parse(memory.get(key) ?? local().getItem(key)!)),
    set(key, value) {
      const text = JSON.stringify(value);
      memory.delete(key);
      try {
        if (text) local().setItem(key, text);
        else local().removeItem(key);
      } catch {
        if (text) memory.set(key, text);
      }
    },
    listKeys: (prefix) =>
      [...memory.keys(), ...Object.keys(attempt(local) ?? {})].filter((key) => key.startsWith(prefix)),
  };
}

function onChoice(testKey: string, choice: Choice | undefined): void {
  if (choice?.preview) {
    // So that nobody takes it for the real page.
    const preview = `${testKey}=${choice.variationKey}`;
    document.documentElement.dataset.switchyardPreview = preview;
    warn('preview', preview);
  }
}

/** The browser environment of a client. */
export function createPageHost(cookieDomain?: string): Host {
  const store = createStore();
  const page = document as Document & { prerendering?: boolean };
  const writeCookie = (name: string, value: string, seconds: number) => {
    attempt(() => {
      const domain = cookieDomain ? `;domain=${cookieDomain}` : '';
      const secure = location.protocol === 'https:' ? ';secure' : '';
      page.cookie = `${name}=${value};path=/;max-age=${seconds};samesite=lax${domain}${secure}`;
    });
  };
  return {
    fetch: (url, init) => fetch(url, init),
    now: Date.now,
    random: Math.random,
    schedule: (run, milliseconds) => setTimeout(run, milliseconds),
    store,
    readCookies: () => attempt(() => page.cookie),
    writeCookie,
    sharedCookieDomain: cookieDomain,
    urlQuery: location.search,
    whenShown(run) {
      if (page.prerendering) page.addEventListener('prerenderingchange', run, { once: true });
      else run();
    },
    loadAudiences,
    announceConsent(key, isGranted) {
      store.set(key, isGranted);
      store.set(key, undefined);
      // Browsers send this event to other pages only.
      dispatchEvent(new StorageEvent('storage', { key, newValue: `${isGranted}` }));
    },
    onChoice,
  };
}
