import type { Host } from '../client/host.ts';
import { createPageConversions, type PageFeedback, type PageGoals } from '../client/page-conversions.ts';
import { createPageFlags, type PageFlags } from '../client/page-flags.ts';
import type { AnySchema, SwitchyardSchema } from '../client/schema.ts';
import { warn } from '../client/warn.ts';
import { hideUntilReady } from './anti-flicker.ts';
import { openSwitchyard } from './open-switchyard.ts';
import type { SwitchyardOptions as BrowserOptions, Switchyard as BrowserSwitchyard } from './switchyard.ts';

export type { Attributes, SplitTesting, SplitTests } from '../client/browser-client.ts';
export type { PageFeedback, PageFeedbackCall, PageGoalCall, PageGoals } from '../client/page-conversions.ts';
export type { PageFlags } from '../client/page-flags.ts';
export type { DeliveryResult } from '../client/result.ts';
export type { AnySchema, JsonValue, SwitchyardSchema } from '../client/schema.ts';
export type { Bootstrap, Choice, SplitTestConfig, SplitTestDefinition } from '../client/split-tests.ts';

export interface SwitchyardOptions extends Omit<BrowserOptions, 'apiUrl' | 'publicApiKey'> {
  /** Where your server has mounted the relay, e.g. `/sy`. */
  relayUrl: string;
  /** With `publicApiKey`: split tests and events use the service directly. Default: they use the relay too. */
  apiUrl?: string;
  publicApiKey?: string;
  /** Called with goals and feedback that are refused, e.g. because of a misspelled name; each is also logged once. */
  onError?: (error: { code: string; message: string }) => void;
}

export interface Switchyard<Schema extends SwitchyardSchema = AnySchema> extends BrowserSwitchyard<Schema> {
  readonly flags: PageFlags<Schema>;
  readonly goals: PageGoals<Schema>;
  readonly feedback: PageFeedback<Schema>;
}

/** The relay, which is of the page's own origin, only accepts what pages of other sites cannot send: JSON. */
function sendJsonTo(relayUrl: string, host: Host): void {
  const { fetch } = host;
  host.fetch = (url, init) => {
    if (!init.body || !url.startsWith(relayUrl)) return fetch(url, init);
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    const key = new URLSearchParams(url.split('?')[1]).get('idempotencyKey');
    if (key) headers['idempotency-key'] = key;
    return fetch(url, { ...init, headers });
  };
}

/** Leftovers of earlier pages can wait until this page is shown. */
const LEFTOVERS_DELAY_MS = 1000;

/**
 * The browser client with flags, goals and feedback, through the relay of your own server. Never throws, except when
 * given a secret key.
 *
 * @example
 * const switchyard = createSwitchyard({ relayUrl: '/sy', propertyId: 'shop' });
 * await switchyard.ready();
 * if (switchyard.flags.get('new-checkout', false)) …
 * await switchyard.feedback.submit('nps', { option: 'good' });
 */
export function createSwitchyard<Schema extends SwitchyardSchema = AnySchema>(
  options: SwitchyardOptions,
): Switchyard<Schema> {
  const { relayUrl, propertyId, antiFlicker, apiUrl, publicApiKey, onError } = { ...options };
  const isDirect = apiUrl && publicApiKey;
  if (!relayUrl) warn('check relayUrl');
  const { switchyard, client, watch } = openSwitchyard(
    {
      ...options,
      apiUrl: isDirect ? apiUrl : relayUrl,
      // The relay uses its own key.
      publicApiKey: isDirect ? publicApiKey : 'service_pub_relay',
      antiFlicker: undefined,
    },
    (host) => sendJsonTo(relayUrl, host),
  );
  const { clientContext: context, profile, untilShown, signal } = client;
  const setup = {
    relayUrl,
    propertyId,
    visitorId: () => (relayUrl ? switchyard.visitorId() : undefined),
    attributes: () => profile.attributes,
    onError,
  };
  const { publicFlags, loadFlags, refreshFlags, refreshOldFlags, whenLoaded } = createPageFlags(
    context,
    setup,
  );
  const { publicGoals, publicFeedback, sendConversions } = createPageConversions(context, setup);

  const start = () => {
    if (!setup.visitorId()) return;
    loadFlags();
    context.schedule(sendConversions, LEFTOVERS_DELAY_MS);
  };
  const wakeUp = () => {
    if (document.hidden || !setup.visitorId()) return;
    refreshOldFlags();
    void sendConversions(true);
  };

  const extended: Switchyard = {
    ...switchyard,
    flags: watch ? { ...publicFlags, get: watch.watched('flag', publicFlags.get) } : publicFlags,
    goals: publicGoals,
    feedback: publicFeedback,
    ready(timeoutMs) {
      const loading = setup.visitorId() && Promise.all([switchyard.ready(timeoutMs), whenLoaded()]);
      return untilShown(loading || undefined, timeoutMs);
    },
    identify(userId, traits) {
      switchyard.identify(userId, traits);
      refreshFlags();
    },
    setAttributes(attributes) {
      switchyard.setAttributes(attributes);
      refreshFlags();
    },
    setConsent(isGranted) {
      switchyard.setConsent(isGranted);
      if (isGranted) start();
    },
    async flush() {
      await Promise.all([switchyard.flush(), setup.visitorId() && sendConversions(true)]);
    },
  };
  start();
  if (typeof document !== 'undefined') {
    for (const type of ['visibilitychange', 'online']) addEventListener(type, wakeUp, { signal });
    if (antiFlicker) hideUntilReady(extended, antiFlicker);
  }
  return extended as unknown as Switchyard<Schema>;
}
