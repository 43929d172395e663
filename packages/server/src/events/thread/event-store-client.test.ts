import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { splitTestQuery } from '../store/contract/sample-requests.contract.ts';
import { connectEventStore } from './event-store-client.ts';

test('a closed connection rejects its calls, so that a stop does not wait for their results', async () => {
  const { port1, port2 } = new MessageChannel();
  const store = connectEventStore(port1);
  const call = store.countAhead(splitTestQuery({ propertyId: 'shop' }));
  expect(await once(port2, 'message')).toMatchObject([{ type: 'call', method: 'countAhead' }]);
  port1.close();
  await expect(call).rejects.toThrow('the connection to the event store was closed');
});
