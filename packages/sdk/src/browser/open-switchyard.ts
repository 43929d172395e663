import { attempt } from '../client/attempt.ts';
import type { Attributes } from '../client/browser-client.ts';
import type { Host } from '../client/host.ts';
import {
  type ClientSetup,
  type Collect,
  type SessionEvent,
  type SplitTestingClient,
  toSendable,
} from '../client/split-testing-client.ts';
import { warn } from '../client/warn.ts';
import { loadDebugTools } from './debug-tools.ts';
import { openClient } from './open-client.ts';
import { createPageViews, pageUrl, watchUrl } from './page-views.ts';
import type { Switchyard, SwitchyardOptions } from './switchyard.ts';

const MAX_NAME = 256;
const MAX_WAITING = 100;

declare global {
  /** Which client records the page views of a property, by property. */
  var __syViews: Record<string, object> | undefined;
}

/** Creates a client with page views and events, and returns its inner parts too, for entries that extend it. */
export function openSwitchyard(
  options: SwitchyardOptions,
  prepareHost?: (host: Host) => void,
  createHost?: (cookieDomain?: string) => Host,
): {
  switchyard: Switchyard;
  client: SplitTestingClient;
  watch: ReturnType<typeof loadDebugTools>;
} {
  const { autoPage, queueBeforeConsent, propertyId, allowedParameters: allowed } = { ...options };
  const isAutoPage = autoPage !== false;
  const pageView = createPageViews(allowed);
  const watch = loadDebugTools(options);
  const owner = {};
  /** One client of the page records the views of a property. */
  const isViewOwner = () => {
    globalThis.__syViews ??= {};
    globalThis.__syViews[propertyId] ??= owner;
    return globalThis.__syViews[propertyId] === owner;
  };
  let isRunning = false;
  /** Events before consent. */
  let waiting: SessionEvent[] = [];
  const collect: Collect = (event) => {
    if (isRunning) client.collect(event);
    else if (queueBeforeConsent && waiting.length < MAX_WAITING) {
      event.timestamp = Date.now();
      waiting.push(event);
    }
  };
  const recordView = (record: Collect) => attempt(() => record(pageView()));
  const setup: Pick<ClientSetup, 'onStart' | 'onStop'> = {
    onStart(started, host) {
      isRunning = true;
      prepareHost?.(host);
      watch?.watchHost(host);
      if (waiting.length) started(...waiting);
      else if (isAutoPage && isViewOwner()) recordView(started);
      waiting = [];
    },
    onStop() {
      isRunning = false;
      waiting = [];
    },
  };
  const client = openClient(options, setup, createHost);
  const { publicClient, profile, startView, clientContext, signal } = client;
  const page = () => {
    startView();
    recordView(collect);
  };
  if (isAutoPage) {
    attempt(() => watchUrl(() => (isViewOwner() ? page() : startView()), signal));
    signal.addEventListener('abort', () => {
      if (isViewOwner()) delete globalThis.__syViews![propertyId];
    });
    if (queueBeforeConsent && !isRunning && isViewOwner()) recordView(collect);
  }

  const record = (type: 'event' | 'identify', nameOrId: unknown, properties?: Attributes): void => {
    const name = `${nameOrId ?? ''}`;
    if (!name || name.length > MAX_NAME) {
      warn('names and user ids must have 1 to 256 characters');
      return;
    }
    const event: SessionEvent = { type, url: pageUrl(allowed) };
    if (properties) event.properties = toSendable(properties);
    if (type === 'event') event.name = name;
    else {
      profile.userId = name;
      clientContext.notifyListeners();
    }
    collect(event);
    // In a page that is being left, a listener may run after our flush: send at the end of its own task.
    attempt(() => document.hidden && queueMicrotask(publicClient.flush));
  };

  const switchyard: Switchyard = {
    ...publicClient,
    page,
    track: (name, properties) => record('event', name, properties),
    identify: (userId, traits) => record('identify', userId, traits),
  };
  return { switchyard, client, watch };
}
