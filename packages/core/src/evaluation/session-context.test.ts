import { expect, it } from 'vitest';
import { sessionContext } from './session-context.ts';

const SESSION = {
  visitorId: 'v1',
  userId: null,
  country: null,
  device: 'mobile',
  browser: 'unknown',
  os: null,
};

it('has the attributes, and what they do not say', () => {
  expect(sessionContext({ plan: 'pro', device: 'tv', none: null }, SESSION)).toEqual({
    plan: 'pro',
    device: 'tv',
    visitorId: 'v1',
  });
});

it('does not know values that were masked when they were stored', () => {
  const attributes = { email: '[email]', note: 'order [token]', list: ['a'] };
  expect(sessionContext(attributes, SESSION)).toEqual({ list: ['a'], visitorId: 'v1', device: 'mobile' });
});

it('has the ids and fields of the session', () => {
  const session = {
    sessionId: 's1',
    visitorId: 'v1',
    userId: 'u1',
    country: 'DE',
    device: 'mobile',
    browser: 'Firefox',
    os: 'Android',
  };
  expect(sessionContext({}, session)).toEqual(session);
  expect(sessionContext({ userId: undefined, plan: undefined }, session)).toEqual(session);
});
