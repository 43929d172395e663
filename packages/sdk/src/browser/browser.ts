import { attempt } from '../client/attempt.ts';
import type { Attributes, SplitTesting, SplitTestingOptions } from '../client/browser-client.ts';
import type { AnySchema, SwitchyardSchema } from '../client/schema.ts';
import { type Collect, type SessionEvent, toSendable } from '../client/split-testing-client.ts';
import { warn } from '../client/warn.ts';
import { loadDebugTools } from './debug-tools.ts';
import { openClient } from './open-client.ts';
import { createPageViews, pageUrl, watchUrl } from './page-views.ts';

export type { Attributes, SplitTesting, SplitTests } from '../client/browser-client.ts';
export type { AnySchema, SwitchyardSchema } from '../client/schema.ts';
export type { Bootstrap, Choice, SplitTestConfig, SplitTestDefinition } from '../client/split-tests.ts';

const MAX_NAME = 256;

export interface SwitchyardOptions extends SplitTestingOptions {
  /** Records a page view at the start and whenever path or query change. Default: `true`. */
  autoPage?: boolean;
  /** Explains decisions and deliveries in the console, as `?sy_debug` in the page's URL does, which also shows an overlay. */
  debug?: boolean;
}

export interface Switchyard<Schema extends SwitchyardSchema = AnySchema> extends SplitTesting<Schema> {
  /** Assigns the whole session to a user. */
  identify(userId: string, traits?: Attributes): void;
  /** Records an event. */
  track(name: string, properties?: Attributes): void;
  /** Records a page view; needed only with `autoPage: false`. */
  page(): void;
}

/**
 * Split tests, page views and events for a page. Never throws, except when given a secret key.
 *
 * @example
 * const switchyard = createSwitchyard({
 *   apiUrl: 'https://switchyard.example',
 *   publicApiKey: 'service_pub_…',
 *   propertyId: 'shop',
 * });
 * await switchyard.ready();
 * button.textContent = switchyard.splitTest.get('hero', 'Buy');
 * switchyard.track('added to cart', { sku: 'a-1' });
 */
export function createSwitchyard<Schema extends SwitchyardSchema = AnySchema>(
  options: SwitchyardOptions,
): Switchyard<Schema> {
  const isAutoPage = options?.autoPage !== false;
  const pageView = createPageViews();
  const recordView = (collect: Collect) => attempt(() => collect(pageView()));
  const watchHost = loadDebugTools(options);
  const { publicClient, collect, profile, signal } = openClient(options, (started, host) => {
    watchHost?.(host);
    if (isAutoPage) recordView(started);
  });
  const page = () => void recordView(collect);
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

  return {
    ...(publicClient as unknown as SplitTesting<Schema>),
    page,
    track: (name, properties) => record('event', name, properties),
    identify: (userId, traits) => record('identify', userId, traits),
  };
}
