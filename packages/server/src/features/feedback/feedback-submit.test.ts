import {
  closeShop,
  expectAccepted,
  expectProblem,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  const feedbackTypes = [
    { id: 'only-text', name: 'Only text', options: [], textInput: true },
    { id: 'signs', name: 'Signs', options: ['👍', 'a b', 'Ja, gern!'], textInput: false },
  ];
  shop = await openShop({ provision: sampleWith({ feedbackTypes }) });
});
afterAll(() => closeShop(shop));

let scenarios = 0;
const newSession = () => `feedback-${++scenarios}`;
const invalidRequest = (...pointers: string[]) => ({ status: 400, code: 'invalid_request', pointers });

/** The only entry of a session. */
async function entry(sessionId: string) {
  const { feedback } = await shop.feedback({ sessionId });
  expect(feedback).toHaveLength(1);
  return feedback[0];
}

describe('valid feedback', () => {
  it('an entry with all its fields', async () => {
    const before = Date.now();
    const fields = {
      feedbackTypeId: 'nps',
      sessionId: 'all',
      option: 'good',
      message: 'Fast checkout',
      metadata: { page: '/x', ключ: '💡' },
    };
    expectAccepted(await shop.submit(fields));
    const found = await entry('all');
    expect(found).toEqual({
      id: expect.stringMatching(/^\S+$/),
      visitorId: null,
      status: 'new',
      notes: null,
      userId: null,
      createdAt: expect.any(Number),
      bot: false,
      ...fields,
    });
    expect(found.createdAt).toBeGreaterThanOrEqual(before);
    expect(found.createdAt).toBeLessThanOrEqual(Date.now());
  });

  const valid: { name: string; fields: Record<string, unknown>; stored: Record<string, unknown> }[] = [
    {
      name: 'only an option',
      fields: { feedbackTypeId: 'nps', option: 'bad' },
      stored: { option: 'bad', message: null, metadata: {} },
    },
    {
      name: 'only a message',
      fields: { feedbackTypeId: 'nps', message: 'Hm.' },
      stored: { option: null, message: 'Hm.' },
    },
    {
      name: 'an option of a type without text',
      fields: { feedbackTypeId: 'thumbs', option: 'up' },
      stored: { option: 'up', message: null },
    },
    {
      name: 'a message of a type without options',
      fields: { feedbackTypeId: 'only-text', message: 'x' },
      stored: { option: null, message: 'x' },
    },
    {
      name: 'an emoji as option',
      fields: { feedbackTypeId: 'signs', option: '👍' },
      stored: { option: '👍' },
    },
    {
      name: 'an option of several words',
      fields: { feedbackTypeId: 'signs', option: 'Ja, gern!' },
      stored: { option: 'Ja, gern!' },
    },
    {
      name: 'a message in any script',
      fields: { feedbackTypeId: 'nps', message: 'Ünï\n\t"quoted" \\ 漢字 \u0000 \u2028 👩‍👩‍👧' },
      stored: { message: 'Ünï\n\t"quoted" \\ 漢字 \u0000 \u2028 👩‍👩‍👧' },
    },
    {
      name: 'an empty message with an option, for a type without text',
      fields: { feedbackTypeId: 'thumbs', option: 'down', message: '' },
      stored: { option: 'down', message: null },
    },
    {
      name: '5000 characters',
      fields: { feedbackTypeId: 'nps', message: 'x'.repeat(5000) },
      stored: { message: 'x'.repeat(5000) },
    },
    {
      name: '5000 emoji',
      fields: { feedbackTypeId: 'nps', message: '💡'.repeat(5000) },
      stored: { message: '💡'.repeat(5000) },
    },
  ];
  it.each(valid)('$name', async ({ fields, stored }) => {
    const sessionId = newSession();
    expectAccepted(await shop.submit({ ...fields, sessionId }));
    expect(await entry(sessionId)).toMatchObject({
      sessionId,
      feedbackTypeId: fields.feedbackTypeId,
      ...stored,
    });
  });

  const sessionIds = [
    { name: '500 characters', sessionId: 'f'.repeat(500) },
    { name: '500 emoji', sessionId: '💬'.repeat(500) },
    { name: 'characters that goals do not allow', sessionId: 'a_b c/d?e=f&g%h' },
  ];
  it.each(sessionIds)('a session id of $name', async ({ sessionId }) => {
    expectAccepted(await shop.submit({ feedbackTypeId: 'nps', option: 'good', sessionId }));
    expect((await entry(sessionId)).sessionId).toBe(sessionId);
  });

  it('without a session', async () => {
    const message = 'from nowhere';
    expectAccepted(await shop.submit({ feedbackTypeId: 'only-text', message }));
    const { feedback } = await shop.feedback({ feedbackTypeId: 'only-text', limit: '500' });
    const found = feedback.filter((candidate: { message: string }) => candidate.message === message);
    expect(found).toMatchObject([{ sessionId: null, visitorId: null, userId: null }]);
  });

  const pairs = (number: number) =>
    Object.fromEntries(Array.from({ length: number }, (_, i) => [`k${i}`, `v${i}`]));
  const metadata: { name: string; metadata: Record<string, string> }[] = [
    { name: 'none', metadata: {} },
    { name: '20 keys', metadata: pairs(20) },
    { name: 'a key of 256 characters', metadata: { ['k'.repeat(256)]: 'v' } },
    { name: 'a key of 256 emoji', metadata: { ['💡'.repeat(256)]: 'v' } },
    { name: 'a value of 1024 characters', metadata: { k: 'v'.repeat(1024) } },
    { name: 'a value of 1024 emoji', metadata: { k: '💡'.repeat(1024) } },
    { name: 'an empty key and an empty value', metadata: { '': '' } },
  ];
  it.each(metadata)('metadata: $name', async ({ metadata }) => {
    const sessionId = newSession();
    expectAccepted(await shop.submit({ feedbackTypeId: 'nps', option: 'good', sessionId, metadata }));
    expect((await entry(sessionId)).metadata).toEqual(metadata);
  });

  describe('invalid', () => {
    const invalid: { name: string; metadata: unknown; pointer: string }[] = [
      { name: '21 keys', metadata: pairs(21), pointer: '/metadata' },
      {
        name: 'a key of 257 characters',
        metadata: { ['k'.repeat(257)]: 'v' },
        pointer: `/metadata/${'k'.repeat(257)}`,
      },
      { name: 'a value of 1025 characters', metadata: { k: 'v'.repeat(1025) }, pointer: '/metadata/k' },
      { name: 'a value of 1025 emoji', metadata: { k: '💡'.repeat(1025) }, pointer: '/metadata/k' },
      { name: 'a number', metadata: { k: 5 }, pointer: '/metadata/k' },
      { name: 'a boolean', metadata: { k: false }, pointer: '/metadata/k' },
      { name: 'null', metadata: { k: null }, pointer: '/metadata/k' },
      { name: 'an object', metadata: { k: { l: 'v' } }, pointer: '/metadata/k' },
      { name: 'a list', metadata: { k: [] }, pointer: '/metadata/k' },
      { name: 'a list instead of an object', metadata: [], pointer: '/metadata' },
      { name: 'null instead of an object', metadata: null, pointer: '/metadata' },
    ];
    it.each(invalid)('metadata: $name', async ({ metadata, pointer }) => {
      const sessionId = newSession();
      const response = await shop.submit({ feedbackTypeId: 'nps', option: 'good', sessionId, metadata });
      expectProblem(response, invalidRequest(pointer));
      expect(await shop.isUnknown(sessionId)).toBe(true);
    });
  });
});

describe('invalid feedback', () => {
  const rows: {
    name: string;
    fields: Record<string, unknown>;
    status?: number;
    code?: string;
    pointers?: string[];
  }[] = [
    {
      name: 'an option of another type',
      fields: { feedbackTypeId: 'nps', option: 'up' },
      code: 'option_not_allowed',
      pointers: ['/option'],
    },
    {
      name: 'an option in another case',
      fields: { feedbackTypeId: 'nps', option: 'Good' },
      code: 'option_not_allowed',
      pointers: ['/option'],
    },
    {
      name: 'an option with a space',
      fields: { feedbackTypeId: 'nps', option: 'good ' },
      code: 'option_not_allowed',
      pointers: ['/option'],
    },
    {
      name: 'an option for a type that has none',
      fields: { feedbackTypeId: 'only-text', option: 'good' },
      code: 'option_not_allowed',
      pointers: ['/option'],
    },
    {
      name: 'an unknown option with a valid message',
      fields: { feedbackTypeId: 'nps', option: 'x', message: 'y' },
      code: 'option_not_allowed',
      pointers: ['/option'],
    },
    {
      name: 'a message where text is disabled',
      fields: { feedbackTypeId: 'thumbs', message: 'Nice' },
      code: 'message_not_allowed',
      pointers: ['/message'],
    },
    {
      name: 'a message with a valid option, where text is disabled',
      fields: { feedbackTypeId: 'thumbs', option: 'up', message: 'Nice' },
      code: 'message_not_allowed',
      pointers: ['/message'],
    },
    {
      name: 'both at once',
      fields: { feedbackTypeId: 'thumbs', option: 'good', message: 'Nice' },
      code: 'option_not_allowed',
      pointers: ['/option', '/message'],
    },
    {
      name: 'neither option nor message',
      fields: { feedbackTypeId: 'nps' },
      code: 'feedback_empty',
      pointers: [''],
    },
    {
      name: 'an empty message',
      fields: { feedbackTypeId: 'nps', message: '' },
      code: 'feedback_empty',
      pointers: [''],
    },
    {
      name: 'only metadata',
      fields: { feedbackTypeId: 'nps', metadata: { a: 'b' } },
      code: 'feedback_empty',
      pointers: [''],
    },
    {
      name: '5001 characters',
      fields: { feedbackTypeId: 'nps', message: 'x'.repeat(5001) },
      pointers: ['/message'],
    },
    {
      name: '5001 emoji',
      fields: { feedbackTypeId: 'nps', message: '💡'.repeat(5001) },
      pointers: ['/message'],
    },
    {
      name: 'a message that is not a string',
      fields: { feedbackTypeId: 'nps', message: 5 },
      pointers: ['/message'],
    },
    {
      name: 'a message of null',
      fields: { feedbackTypeId: 'nps', option: 'good', message: null },
      pointers: ['/message'],
    },
    {
      name: 'an option that is not a string',
      fields: { feedbackTypeId: 'nps', option: 1 },
      pointers: ['/option'],
    },
    { name: 'a list of options', fields: { feedbackTypeId: 'nps', option: ['good'] }, pointers: ['/option'] },
    { name: 'no type', fields: { option: 'good' }, pointers: ['/feedbackTypeId'] },
    { name: 'an empty type', fields: { feedbackTypeId: '', option: 'good' }, pointers: ['/feedbackTypeId'] },
    {
      name: 'a type that is not a string',
      fields: { feedbackTypeId: 5, option: 'good' },
      pointers: ['/feedbackTypeId'],
    },
    {
      name: 'an unknown type',
      fields: { feedbackTypeId: 'nothing', option: 'good' },
      status: 404,
      code: 'feedback_type_not_found',
    },
    {
      name: 'a type in another case',
      fields: { feedbackTypeId: 'NPS', option: 'good' },
      status: 404,
      code: 'feedback_type_not_found',
    },
  ];
  it.each(rows)('$name', async ({ fields, status = 400, code = 'invalid_request', pointers }) => {
    const sessionId = newSession();
    const response = await shop.submit({ ...fields, sessionId });
    expectProblem(response, { status, code, ...(pointers && { pointers }) });
    expect((await shop.feedback({ sessionId })).feedback).toEqual([]);
    expect(await shop.isUnknown(sessionId)).toBe(true);
  });

  const sessionIds = [
    { name: '501 characters', sessionId: 'f'.repeat(501) },
    { name: '501 emoji', sessionId: '💬'.repeat(501) },
    { name: 'no characters', sessionId: '' },
    { name: 'a number', sessionId: 5 },
    { name: 'null', sessionId: null },
  ];
  it.each(sessionIds)('a session id of $name', async ({ sessionId }) => {
    const response = await shop.submit({ feedbackTypeId: 'nps', option: 'good', sessionId });
    expectProblem(response, invalidRequest('/sessionId'));
  });
});
