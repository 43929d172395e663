import { attempt } from '../client/attempt.ts';
import type { Attributes, SplitTesting, SplitTestingOptions } from '../client/browser-client.ts';
import type { AnySchema, SwitchyardSchema } from '../client/schema.ts';
import { type Collect, type SessionEvent, toSendable } from '../client/split-testing-client.ts';
import { openClient } from './open-client.ts';
import { createPageViews, pageUrl, watchAddress } from './page-views.ts';

export type { Attributes, SplitTesting, SplitTests } from '../client/browser-client.ts';
export type { AnySchema, SwitchyardSchema } from '../client/schema.ts';
export type { Bootstrap, Choice, SplitTestConfig, SplitTestDefinition } from '../client/split-tests.ts';

const MAX_NAME = 256;

export interface SwitchyardOptions extends SplitTestingOptions {
  /** Records a page view for the first page and whenever its path or query changes. `true` unless said. */
  autoPage?: boolean;
}

export interface Switchyard<Schema extends SwitchyardSchema = AnySchema> extends SplitTesting<Schema> {
  /** Says who the visitor is; the whole session is theirs. */
  identify(userId: string, traits?: Attributes): void;
  /** Records an event in the session. */
  track(name: string, properties?: Attributes): void;
  /** Records a page view; needed only with `autoPage: false`. */
  page(): void;
}

/**
 * Split tests, page views and events of a page. Never throws, except for a secret key.
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
  const isAutomatic = options?.autoPage !== false;
  const pageView = createPageViews();
  const view = (collect: Collect) => attempt(() => collect(pageView()));
  const { publicClient, collect, profile, signal } = openClient(options, isAutomatic ? view : undefined);
  const page = () => void view(collect);
  if (isAutomatic) attempt(() => watchAddress(page, signal));

  const record = (type: 'event' | 'identify', given: unknown, properties?: Attributes): void => {
    const name = `${given ?? ''}`;
    if (!name || name.length > MAX_NAME) {
      console.error('switchyard: a name or user id has 1 to 256 characters');
      return;
    }
    const event: SessionEvent = { type, timestamp: Date.now(), url: pageUrl() };
    if (properties) event.properties = toSendable(properties);
    if (type === 'event') event.name = name;
    else profile.userId = name;
    collect(event);
    // What is recorded while the page is left, by listeners that run after ours, has no later than its own task.
    attempt(() => document.hidden && queueMicrotask(publicClient.flush));
  };

  return {
    ...(publicClient as unknown as SplitTesting<Schema>),
    page,
    track: (name, properties) => record('event', name, properties),
    identify: (userId, traits) => record('identify', userId, traits),
  };
}
