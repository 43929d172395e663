import { attempt } from '../client/attempt.ts';
import type { Attributes } from '../client/browser-client.ts';
import type { Host } from '../client/host.ts';
import {
  type Collect,
  type SessionEvent,
  type SplitTestingClient,
  toSendable,
} from '../client/split-testing-client.ts';
import { warn } from '../client/warn.ts';
import type { Switchyard, SwitchyardOptions } from './browser.ts';
import { loadDebugTools } from './debug-tools.ts';
import { openClient } from './open-client.ts';
import { createPageViews, pageUrl, watchUrl } from './page-views.ts';

const MAX_NAME = 256;

/** Creates a client with page views and events, and returns its inner parts too, for entries that extend it. */
export function openSwitchyard(
  options: SwitchyardOptions,
  prepareHost?: (host: Host) => void,
): {
  switchyard: Switchyard;
  client: SplitTestingClient;
  watch: ReturnType<typeof loadDebugTools>;
} {
  const isAutoPage = options?.autoPage !== false;
  const pageView = createPageViews();
  const recordView = (collect: Collect) => attempt(() => collect(pageView()));
  const watch = loadDebugTools(options);
  const client = openClient(options, (started, host) => {
    prepareHost?.(host);
    watch?.watchHost(host);
    if (isAutoPage) recordView(started);
  });
  const { publicClient, collect, profile, startView, signal } = client;
  const page = () => {
    startView();
    recordView(collect);
  };
  if (isAutoPage) attempt(() => watchUrl(page, signal));

  const record = (type: 'event' | 'identify', nameOrId: unknown, properties?: Attributes): void => {
    const name = `${nameOrId ?? ''}`;
    if (!name || name.length > MAX_NAME) {
      warn('names and user ids must have 1 to 256 characters');
      return;
    }
    const event: SessionEvent = { type, timestamp: Date.now(), url: pageUrl() };
    if (properties) event.properties = toSendable(properties);
    if (type === 'event') event.name = name;
    else profile.userId = name;
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
