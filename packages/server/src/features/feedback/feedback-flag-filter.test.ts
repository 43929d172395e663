import {
  accepted,
  closeShop,
  nextMillisecond,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, expect, it } from 'vitest';

type Query = Record<string, string>;

const plan = (value: string) => [{ attribute: 'plan', operator: 'equals', values: [value] }];
const PROVISION = sampleWith({
  segments: [{ id: 'payers', conditions: plan('pro') }],
  flags: [
    {
      key: 'perks',
      type: 'boolean',
      defaultValue: false,
      environments: {
        production: {
          enabled: true,
          value: false,
          rules: [{ id: 'r', conditions: [{ operator: 'inSegment', values: ['payers'] }], value: true }],
        },
      },
    },
  ],
});

let shop: Shop;
let owner: PropertyManager;
const say = (message: string, sessionId?: string) =>
  shop.submit({ feedbackTypeId: 'nps', message, ...(sessionId && { sessionId }) });

/** Everybody says something three times: at first, after the segment changed, and after the flag was switched off. */
beforeAll(async () => {
  shop = await openShop({ provision: PROVISION, env: WITH_OWNER });
  owner = new PropertyManager(await ownerBrowser(shop.server));
  await accepted(
    shop.collect({ sessionId: 'ann-1', visitorId: 'ann', attributes: { plan: 'pro' } }),
    shop.collect({ sessionId: 'bob-1', visitorId: 'bob', attributes: { plan: 'free' } }),
  );
  await accepted(say('ann 1', 'ann-1'), say('bob 1', 'bob-1'), say('nobody'), say('unknown', 'unknown'));
  await nextMillisecond();
  bodyOf(await owner.patch('/segments/payers', { conditions: plan('free') }, '*'));
  await nextMillisecond();
  await accepted(say('ann 2', 'ann-1'), say('bob 2', 'bob-1'));
  await nextMillisecond();
  bodyOf(await owner.patch('/flags/perks', { environments: { production: { enabled: false } } }, '*'));
  await nextMillisecond();
  await accepted(say('ann 3', 'ann-1'), say('bob 3', 'bob-1'));
});
afterAll(() => closeShop(shop));

async function get(path: string, query: Query): Promise<TestResponse> {
  const response = await shop.get(`/v1/feedback${path}`, query);
  expect(response.status, response.text).toBe(200);
  return response;
}

it.each<[Query, string[]]>([
  [{ flagValue: 'true' }, ['ann 1', 'bob 2']],
  [{ flagValue: 'false' }, ['bob 1', 'ann 2', 'ann 3', 'bob 3']],
  [{ flagValue: 'false', search: 'bob' }, ['bob 1', 'bob 3']],
  [{ flagValue: 'true', status: 'new' }, ['ann 1', 'bob 2']],
  [{ flagValue: 'true', status: 'done' }, []],
  [{ flagValue: 'other' }, []],
  [{ flagValue: 'true', environment: 'staging' }, []],
])('%j: entries by the value when they were submitted', async (filter, expected) => {
  const query = { flagKey: 'perks', ...filter };
  const messages: string[] = [];
  let cursor: string | null = '';
  do {
    const { body } = await get('', { ...query, limit: '1', ...(cursor && { cursor }) });
    expect(body.computed).toBe(true);
    messages.push(...body.feedback.map(({ message }: { message: string }) => message));
    cursor = body.nextCursor;
  } while (cursor !== null);
  expect(messages.sort()).toEqual(expected.toSorted());
  const { body: summary } = await get('/summary', query);
  expect(summary.total).toBe(expected.length);
  expect(summary.flagFilter).toMatchObject({ computed: true, complete: true });
  const lines = (await get('/export', query)).text.trimEnd().split('\r\n');
  expect(lines).toHaveLength(1 + expected.length);
});

it('agrees with the values that a session had', async () => {
  const { body } = await get('', {});
  for (const { sessionId, createdAt, id } of body.feedback) {
    if (sessionId === null || sessionId === 'unknown') continue;
    const { flags } = await owner.read(`/sessions/${sessionId}/flags?at=${createdAt}`);
    const { value } = flags.find(({ flagKey }: { flagKey: string }) => flagKey === 'perks');
    const { body: found } = await get('', { flagKey: 'perks', flagValue: String(value) });
    expect(found.feedback).toContainEqual(expect.objectContaining({ id }));
  }
});

it('counts statuses of matching entries only', async () => {
  const { body } = await get('', { search: 'ann' });
  for (const { id } of body.feedback) bodyOf(await owner.patch(`/feedback/${id}`, { status: 'seen' }));
  const { body: summary } = await get('/summary', { flagKey: 'perks', flagValue: 'true' });
  expect(summary).toMatchObject({ total: 2, statuses: { new: 1, seen: 1, done: 0 } });
  const { body: seen } = await get('/summary', { flagKey: 'perks', flagValue: 'true', status: 'seen' });
  expect(seen).toMatchObject({ total: 1, statuses: { new: 1, seen: 1, done: 0 } });
});

it('refuses filters that make no sense', async () => {
  const problem = async (query: Query, status: number, code: string) =>
    errorOf(await shop.get('/v1/feedback', query), status, code);
  await problem({ flagKey: 'perks' }, 400, 'invalid_request');
  await problem({ flagValue: 'true' }, 400, 'invalid_request');
  await problem({ environment: 'production' }, 400, 'invalid_request');
  await problem({ flagKey: 'missing', flagValue: 'true' }, 404, 'not_found');
  await problem({ flagKey: 'perks', flagValue: 'x', environment: 'mars' }, 404, 'environment_not_found');
});
