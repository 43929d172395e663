import type { SplitTestingOptions } from '../client/browser-client.ts';
import type { Host } from '../client/host.ts';
import {
  type ClientSetup,
  consentKey,
  createSplitTestingClient,
  type SplitTestingClient,
} from '../client/split-testing-client.ts';
import type { Bootstrap } from '../client/split-tests.ts';
import { clearVisit } from '../client/visit.ts';
import { warn } from '../client/warn.ts';
import { hideUntilReady } from './anti-flicker.ts';
import { createPageHost } from './page-host.ts';
import { hasPrivacySignal } from './privacy-signal.ts';

declare global {
  var __SWITCHYARD__: Bootstrap | undefined;
}

/** Creates a client for this page. Outside of a page it only returns fallbacks. */
export function openClient(
  options: SplitTestingOptions,
  setup?: Pick<ClientSetup, 'onStart' | 'onStop'>,
  createHost = createPageHost,
): SplitTestingClient {
  const settings = { ...options };
  if (`${Object.values(settings)}`.includes('service_sec_')) {
    throw new Error('[switchyard] never ship a secret key to browsers');
  }
  const { publicApiKey, propertyId, antiFlicker, bootstrap = globalThis.__SWITCHYARD__ } = settings;
  const isPage = typeof document !== 'undefined';
  const isUsable = `${publicApiKey}`.startsWith('service_pub_') && settings.apiUrl && propertyId;
  if (!isUsable) warn('check apiUrl, publicApiKey, propertyId');

  const host = isPage ? createHost(settings.cookieDomain) : ({} as Host);
  const hasSignal = isPage && hasPrivacySignal();
  const isRefused = hasSignal && settings.respectPrivacySignals !== false;
  // Delete what was stored before the visitor opted out of tracking.
  if (isRefused) clearVisit(host, 'sy:');

  const client = createSplitTestingClient(
    {
      ...settings,
      ...(hasSignal && { consent: 'required' }),
      bootstrap: (bootstrap?.propertyId ?? propertyId) === propertyId ? bootstrap : null,
    },
    host,
    { ...setup, isDisabled: !(isPage && isUsable) || isRefused },
  );
  if (isPage) {
    const { publicClient, wakeUp, followConsent, signal } = client;
    const onEvent = ({ type }: Event) =>
      type === 'pagehide' || document.hidden ? publicClient.flush() : wakeUp();
    for (const type of ['visibilitychange', 'pagehide', 'online'])
      addEventListener(type, onEvent, { signal });
    addEventListener(
      'storage',
      ({ key, newValue }) => {
        if (newValue && key === consentKey(propertyId)) followConsent(newValue === 'true');
      },
      { signal },
    );
    if (antiFlicker) hideUntilReady(publicClient, antiFlicker);
  }
  return client;
}
