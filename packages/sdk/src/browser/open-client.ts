import type { SplitTestingOptions } from '../client/browser-client.ts';
import type { Host } from '../client/host.ts';
import {
  type ClientSetup,
  createSplitTestingClient,
  type SplitTestingClient,
} from '../client/split-testing-client.ts';
import type { Bootstrap } from '../client/split-tests.ts';
import { warn } from '../client/warn.ts';
import { hideUntilReady } from './anti-flicker.ts';
import { createPageHost } from './page-host.ts';

declare global {
  var __SWITCHYARD__: Bootstrap | undefined;
}

/** Creates a client for this page. Outside of a page it only returns fallbacks. */
export function openClient(
  options: SplitTestingOptions,
  onStart?: ClientSetup['onStart'],
): SplitTestingClient {
  const settings = { ...options };
  if (/service_sec_/.test(`${Object.values(settings)}`)) {
    throw new Error('[switchyard] never ship a secret key to browsers');
  }
  const { publicApiKey, propertyId, antiFlicker, bootstrap = globalThis.__SWITCHYARD__ } = settings;
  const isPage = typeof document !== 'undefined';
  const isUsable = /^service_pub_/.test(publicApiKey) && settings.apiUrl && propertyId;
  if (!isUsable) warn('check apiUrl, publicApiKey, propertyId');

  const client = createSplitTestingClient(
    { ...settings, bootstrap: (bootstrap?.propertyId ?? propertyId) === propertyId ? bootstrap : null },
    isPage ? createPageHost(settings.cookieDomain) : ({} as Host),
    { onStart, isDisabled: !(isPage && isUsable) },
  );
  if (isPage) {
    const { publicClient, wakeUp, signal } = client;
    const onEvent = ({ type }: Event) =>
      type === 'pagehide' || document.hidden ? publicClient.flush() : wakeUp();
    for (const type of ['visibilitychange', 'pagehide', 'online'])
      addEventListener(type, onEvent, { signal });
    if (antiFlicker) hideUntilReady(publicClient, antiFlicker);
  }
  return client;
}
