import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SessionIdentities } from '../../features/sessions/session-identities.ts';
import { SharedIdentities } from './shared-identities.ts';

const session = { propertyId: 'shop', sessionId: 's' };

it('a session is looked up when what other workers have acknowledged is known', async () => {
  const identities = new SessionIdentities({ sessionIdentity: async () => undefined });
  identities.remember({ ...session, visitorId: 'v', userId: 'bob' });
  let synced = () => {};
  const shared = new SharedIdentities(identities, () => new Promise((resolve) => (synced = resolve)));
  const found = shared.find('shop', 's');
  await turn();
  identities.remember({ ...session, visitorId: 'v', userId: 'ada' });
  synced();
  expect(await found).toEqual({ visitorId: 'v', userId: 'ada' });
});

it('is looked up all the same if the storage thread does not answer', async () => {
  const identities = new SessionIdentities({ sessionIdentity: async () => undefined });
  identities.remember({ ...session, visitorId: 'v', userId: 'bob' });
  const shared = new SharedIdentities(identities, () => new Promise(() => {}));
  expect(await shared.find('shop', 's')).toEqual({ visitorId: 'v', userId: 'bob' });
});
