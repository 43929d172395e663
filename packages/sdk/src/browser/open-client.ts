import type { SplitTestingOptions } from '../client/browser-client.ts';
import type { Host } from '../client/host.ts';
import {
  type Collect,
  createSplitTestingClient,
  type SplitTestingClient,
} from '../client/split-testing-client.ts';
import type { Bootstrap, Choice } from '../client/split-tests.ts';
import { hideUntil } from './anti-flicker.ts';
import { createPageHost } from './page-host.ts';

declare global {
  var __SWITCHYARD__: Bootstrap | undefined;
}

/** Previews are for the eyes of whoever made the address: say so, in the page and in the console. */
function markPreview({ testKey, variationKey }: Choice): void {
  const preview = `${testKey}=${variationKey}`;
  document.documentElement.dataset.switchyardPreview = preview;
  console.info('switchyard: preview', preview);
}

/** A client of this page. The signal ends when it is destroyed. Outside of a page it shows fallbacks. */
export function openClient(
  options: SplitTestingOptions,
  started?: (collect: Collect) => void,
): readonly [...SplitTestingClient, signal: AbortSignal] {
  const given = { ...options };
  if (/service_sec_/.test(`${Object.values(given)}`)) {
    throw new Error('switchyard: never ship a secret key to browsers');
  }
  const { publicApiKey, propertyId, antiFlicker, bootstrap = globalThis.__SWITCHYARD__ } = given;
  const isPage = typeof document !== 'undefined';
  const isUsable = /^service_pub_/.test(publicApiKey) && given.apiUrl && propertyId;
  if (!isUsable) console.error('switchyard: check apiUrl, publicApiKey, propertyId');

  const listening = new AbortController();
  const { signal } = listening;
  const [client, collect, wake, person] = createSplitTestingClient(
    { ...given, bootstrap: (bootstrap?.propertyId ?? propertyId) === propertyId ? bootstrap : null },
    isPage ? createPageHost(given.cookieDomain) : ({} as Host),
    started,
    markPreview,
    listening,
    !(isPage && isUsable),
  );
  if (isPage) {
    const turn = ({ type }: Event) => (type === 'pagehide' || document.hidden ? client.flush() : wake());
    for (const type of ['visibilitychange', 'pagehide', 'online']) addEventListener(type, turn, { signal });
    if (antiFlicker) hideUntil(client.ready(), antiFlicker);
  }
  return [client, collect, wake, person, signal];
}
