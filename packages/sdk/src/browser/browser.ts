import type { AnySchema, SwitchyardSchema } from '../client/schema.ts';
import { openSwitchyard } from './open-switchyard.ts';
import type { Switchyard, SwitchyardOptions } from './switchyard.ts';

export type { Attributes, SplitTesting, SplitTests } from '../client/browser-client.ts';
export type { AnySchema, JsonValue, SwitchyardSchema } from '../client/schema.ts';
export type { Bootstrap, Choice, SplitTestConfig, SplitTestDefinition } from '../client/split-tests.ts';
export type { Switchyard, SwitchyardOptions } from './switchyard.ts';

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
  return openSwitchyard(options).switchyard as unknown as Switchyard<Schema>;
}
