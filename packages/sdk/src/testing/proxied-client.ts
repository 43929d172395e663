import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { waitFor } from '@switchyard/testing/time/wait';
import {
  createSwitchyard,
  type RequestSplitTests,
  type Switchyard,
  type SwitchyardOptions,
} from '../node/node.ts';
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

/** The split tests of a request, once the definitions are loaded. */
export function loadedTests(client: Switchyard, request: unknown): Promise<RequestSplitTests> {
  return waitFor('the definitions', async () => {
    const tests = await client.splitTest.forRequest(request);
    return tests.peek('hero', undefined) !== undefined && tests;
  });
}
