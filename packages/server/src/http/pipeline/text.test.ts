import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectProblem,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// Covers every field that accepts text and every response that contains it.

const flags = [
  {
    key: 'sees-text',
    type: 'boolean',
    defaultValue: false,
    environments: {
      production: {
        enabled: true,
        value: false,
        rules: [
          {
            id: 'user',
            conditions: [{ attribute: 'userId', operator: 'contains', values: ['\ufffd'] }],
            value: true,
          },
        ],
      },
    },
  },
];

/** `written` is the JSON source, `stored` the resulting text. */
const TEXTS = [
  { name: 'half an emoji', written: '\\ud83d', stored: '\ufffd' },
  { name: 'the other half, in upper case', written: '\\uDE00', stored: '\ufffd' },
  { name: 'both halves in the wrong order', written: '\\ude00\\ud83d', stored: '\ufffd\ufffd' },
  { name: 'a whole emoji', written: '\\ud83d\\ude00', stored: '😀' },
  { name: 'a backslash before it', written: '\\\\ud83d', stored: '\\ud83d' },
  { name: 'NUL', written: '\\u0000', stored: '\0' },
  { name: 'quotes and separators', written: '\\",;\\r\\n', stored: '",;\r\n' },
];

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ flags }) });
});
afterAll(() => closeShop(shop));

describe.each(TEXTS.map((text, index) => ({ ...text, index })))('$name', ({ written, stored, index }) => {
  /** Replaces `#` with the index of the text and `X` with the text. */
  const filled = (text: string) => text.replaceAll('#', String(index)).replaceAll('X', stored);
  const raw = (path: string, key: string, fields: object) => {
    const json = JSON.stringify({ propertyId: 'shop', ...fields });
    const rawBody = json.replaceAll('#', String(index)).replaceAll('X', written);
    return shop.server.call('POST', path, { key, rawBody });
  };
  const metadata = { [filled('k-X')]: filled('m-X') };

  beforeAll(() =>
    accepted(
      raw('/v1/sessions/collect', PUBLIC_KEY, {
        sessionId: 's#-X',
        visitorId: 'v#-X',
        userId: 'u#-X',
        attributes: { 'pl-X': 'a-X' },
        events: [
          {
            type: 'event',
            name: 'n-X',
            url: 'https://shop.example/X',
            title: 't-X',
            properties: { 'p-X': ['X'] },
          },
        ],
      }),
      raw('/v1/split-testing/expose', PUBLIC_KEY, {
        exposures: [
          {
            splitTestKey: 'hero',
            variationKey: 'b',
            sessionId: 's#-X',
            attributes: { plan: 'e#-X', 'by-X': 'v' },
          },
        ],
      }),
      raw('/v1/goals/increment', SECRET_KEY, { goalId: 'signup', metadata: { 'k-X': 'm-X' } }),
      raw('/v1/feedback/submit', SECRET_KEY, {
        feedbackTypeId: 'nps',
        sessionId: 's#-X',
        message: 'f#-X',
        metadata: { 'k-X': 'm-X' },
      }),
    ),
  );

  it('is returned in sessions', async () => {
    const visit = { sessionId: filled('s#-X'), visitorId: filled('v#-X'), userId: filled('u#-X') };
    const { sessions } = await shop.sessions({ visitorId: visit.visitorId });
    expect(sessions).toEqual([expect.objectContaining(visit)]);
    const session = await shop.session(visit.sessionId);
    expect(session.attributes).toEqual({ [filled('pl-X')]: filled('a-X') });
    const entries = (type: string) => shop.timeline(visit.sessionId, type);
    expect(await entries('event')).toEqual([
      expect.objectContaining({
        name: filled('n-X'),
        url: filled('https://shop.example/X'),
        title: filled('t-X'),
        properties: { [filled('p-X')]: [stored] },
      }),
    ]);
    const attributes = { plan: filled('e#-X'), [filled('by-X')]: 'v' };
    expect(await entries('exposure')).toEqual([expect.objectContaining({ attributes })]);
    expect(await entries('feedback')).toEqual([
      expect.objectContaining({ message: filled('f#-X'), metadata }),
    ]);
  });

  it('is returned in feedback', async () => {
    const sessionId = filled('s#-X');
    const { feedback } = await shop.feedback({ sessionId });
    expect(feedback).toEqual([
      expect.objectContaining({
        sessionId,
        visitorId: filled('v#-X'),
        userId: filled('u#-X'),
        message: filled('f#-X'),
        metadata,
      }),
    ]);
  });

  it('does not break reports', async () => {
    const results = async (query: Record<string, string>) => {
      const response = await shop.get('/v1/split-testing/results', {
        splitTestKey: 'hero',
        fresh: 'true',
        ...query,
      });
      expect(response.status, response.text).toBe(200);
      return response.body;
    };
    const { breakdown } = await results({ by: 'plan' });
    expect(breakdown.segments.map(({ value }: { value: unknown }) => value)).toContain(filled('e#-X'));
    await results({ by: filled('by-X') });
    const { feedback } = await results({ include: 'series,feedback' });
    expect(JSON.stringify(feedback)).toContain(JSON.stringify(filled('f#-X')));
    for (const format of ['csv', 'bundle']) {
      const file = await shop.get('/v1/split-testing/results/export', { splitTestKey: 'hero', format });
      expect(file.status, file.text).toBe(200);
    }
  });

  it('identifies the session in flag evaluations', async () => {
    const response = await raw('/v1/flags/evaluate', SECRET_KEY, { context: { sessionId: 's#-X' } });
    expect(response.status, response.text).toBe(200);
    expect(response.body.flags['sees-text'].value).toBe(stored.includes('\ufffd'));
  });
});

describe('URLs', () => {
  // A surrogate encoded as UTF-8, an incomplete character, and an invalid first byte.
  it.each(['%ED%A0%80', '%F0%9F', '%FF'])('invalid UTF-8: %s', async (escaped) => {
    const inPath = await shop.get(`/v1/sessions/${escaped}`);
    expectProblem(inPath, { status: 400, code: 'invalid_request' });
    for (const [path, parameter] of [
      ['/v1/sessions', 'visitorId'],
      ['/v1/feedback', 'option'],
      ['/v1/split-testing/results', 'splitTestKey=hero&by'],
    ]) {
      const url = `${path}?propertyId=shop&${parameter}=${escaped}`;
      const response = await shop.server.call('GET', url, { key: SECRET_KEY });
      expect([url, response.status, response.text]).toEqual([url, 200, expect.any(String)]);
    }
  });

  it.each(['\\ud800', '\\udfff'])('a cursor with a lone surrogate is invalid: %s', async (half) => {
    const cursor = Buffer.from(`[1767225600000,"s-${half}"]`).toString('base64url');
    for (const path of ['/v1/sessions', '/v1/feedback']) {
      const response = await shop.get(path, { cursor });
      expectProblem(response, { status: 400, code: 'invalid_request', pointers: ['/cursor'] });
    }
  });
});
