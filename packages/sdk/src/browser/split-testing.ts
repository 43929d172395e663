import type { SplitTesting, SplitTestingOptions } from '../client/browser-client.ts';
import type { AnySchema, SwitchyardSchema } from '../client/schema.ts';
import { openClient } from './open-client.ts';

export type { Attributes, SplitTesting, SplitTestingOptions, SplitTests } from '../client/browser-client.ts';
export type { AnySchema, JsonValue, SwitchyardSchema } from '../client/schema.ts';
export type { Bootstrap, Choice, SplitTestConfig, SplitTestDefinition } from '../client/split-tests.ts';

/**
 * Split testing only, for pages that record visits elsewhere. Never throws, except when given a secret key.
 *
 * @example
 * const { splitTest, ready } = createSplitTesting({ apiUrl, publicApiKey, propertyId: 'shop' });
 * await ready();
 * button.textContent = splitTest.get('hero', 'Buy');
 */
export function createSplitTesting<Schema extends SwitchyardSchema = AnySchema>(
  options: SplitTestingOptions,
): SplitTesting<Schema> {
  return openClient(options).publicClient as unknown as SplitTesting<Schema>;
}
