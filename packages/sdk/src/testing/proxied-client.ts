import { SECRET_KEY } from '../../../server/src/testing/sample-property.ts';
import { createSwitchyard, type Switchyard, type SwitchyardOptions } from '../node/node.ts';
import type { FaultyProxy } from './faulty-proxy.ts';

/** A client of the sample property; with remote evaluation, so that it makes no requests in the background. */
export function connectThrough(proxy: FaultyProxy, options: Partial<SwitchyardOptions> = {}): Switchyard {
  return createSwitchyard({
    apiUrl: proxy.url,
    secretApiKey: SECRET_KEY,
    propertyId: 'shop',
    evaluation: 'remote',
    timeoutMs: 30_000,
    ...options,
  });
}
