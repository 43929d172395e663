import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PUBLIC_KEY, SECRET_KEY } from '../testing/sample-property.ts';
import { accepted, closeShop, expectProblem, openShop, type Shop, sampleWith } from '../testing/shop.ts';

// Every place in which a caller may put text, and every place in which somebody reads it.

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

/** `written` as JSON has it, and what is kept of it. */
const TEXTS = [
  { name: 'half an emoji', written: '\\ud83d', kept: '\ufffd' },
  { name: 'the other half, in capitals', written: '\\uDE00', kept: '\ufffd' },
  { name: 'both halves in the wrong order', written: '\\ude00\\ud83d', kept: '\ufffd\ufffd' },
  { name: 'a whole emoji', written: '\\ud83d\\ude00', kept: '😀' },
  { name: 'a backslash before it', written: '\\\\ud83d', kept: '\\ud83d' },
  { name: 'NUL', written: '\\u0000', kept: '\0' },
  { name: 'quotes and separators', written: '\\",;\\r\\n', kept: '",;\r\n' },
];

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ flags }) });
});
afterAll(() => closeShop(shop));

describe.each(TEXTS.map((text, index) => ({ ...text, index })))('$name', ({ written, kept, index }) => {
  /** `#` is the number of the text, `X` the text itself. */
  const filled = (text: string) => text.replaceAll('#', String(index)).replaceAll('X', kept);
  const raw = (path: string, key: string, fields: object) => {
    const json = JSON.stringify({ propertyId: 'shop', ...fields });
    const rawBody = json.replaceAll('#', String(index)).replaceAll('X', written);
    return shop.server.call('POST', path, { key, rawBody });
  };
  const metadata = { [filled('k-X')]: filled('m-X') };

  beforeAll(() =>
    accepted(
      raw('/v1/sessions/collect', PUBLIC_KEY, {
        ...{ sessionId: 's#-X', visitorId: 'v#-X', userId: 'u#-X', attributes: { 'pl-X': 'a-X' } },
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
            ...{ splitTestKey: 'hero', variationKey: 'b', sessionId: 's#-X' },
            attributes: { plan: 'e#-X', 'by-X': 'v' },
          },
        ],
      }),
      raw('/v1/goals/increment', SECRET_KEY, { goalId: 'signup', metadata: { 'k-X': 'm-X' } }),
      raw('/v1/feedback/submit', SECRET_KEY, {
        ...{ feedbackTypeId: 'nps', sessionId: 's#-X', message: 'f#-X', metadata: { 'k-X': 'm-X' } },
      }),
    ),
  );

  it('is kept in sessions', async () => {
    const visit = { sessionId: filled('s#-X'), visitorId: filled('v#-X'), userId: filled('u#-X') };
    const { sessions } = await shop.sessions({ visitorId: visit.visitorId });
    expect(sessions).toEqual([expect.objectContaining(visit)]);
    const session = await shop.session(visit.sessionId);
    expect(session.attributes).toEqual({ [filled('pl-X')]: filled('a-X') });
    const entries = (type: string) => shop.timeline(visit.sessionId, type);
    expect(await entries('event')).toEqual([
      expect.objectContaining({
        ...{ name: filled('n-X'), url: filled('https://shop.example/X'), title: filled('t-X') },
        properties: { [filled('p-X')]: [kept] },
      }),
    ]);
    const attributes = { plan: filled('e#-X'), [filled('by-X')]: 'v' };
    expect(await entries('exposure')).toEqual([expect.objectContaining({ attributes })]);
    expect(await entries('feedback')).toEqual([
      expect.objectContaining({ message: filled('f#-X'), metadata }),
    ]);
  });

  it('is kept in feedback', async () => {
    const sessionId = filled('s#-X');
    const { feedback } = await shop.feedback({ sessionId });
    expect(feedback).toEqual([
      expect.objectContaining({
        ...{ sessionId, visitorId: filled('v#-X'), userId: filled('u#-X') },
        ...{ message: filled('f#-X'), metadata },
      }),
    ]);
  });

  it('breaks no report', async () => {
    const results = async (query: Record<string, string>) => {
      const answer = await shop.get('/v1/split-testing/results', {
        splitTestKey: 'hero',
        fresh: 'true',
        ...query,
      });
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
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

  it('finds its session when flags are evaluated', async () => {
    const answer = await raw('/v1/flags/evaluate', SECRET_KEY, { context: { sessionId: 's#-X' } });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.flags['sees-text'].value).toBe(kept.includes('\ufffd'));
  });
});

describe('addresses', () => {
  // U+D800 as if it had a form in UTF-8, half a character, and bytes that no character begins with.
  it.each(['%ED%A0%80', '%F0%9F', '%FF'])('%s is no text, in no place', async (escaped) => {
    const inPath = await shop.get(`/v1/sessions/${escaped}`);
    expectProblem(inPath, { status: 400, code: 'invalid_request' });
    for (const [path, parameter] of [
      ['/v1/sessions', 'visitorId'],
      ['/v1/feedback', 'option'],
      ['/v1/split-testing/results', 'splitTestKey=hero&by'],
    ]) {
      const url = `${path}?propertyId=shop&${parameter}=${escaped}`;
      const answer = await shop.server.call('GET', url, { key: SECRET_KEY });
      expect([url, answer.status, answer.text]).toEqual([url, 200, expect.any(String)]);
    }
  });

  it.each(['\\ud800', '\\udfff'])('a cursor with half a character in it is none', async (half) => {
    const cursor = Buffer.from(`[1767225600000,"s-${half}"]`).toString('base64url');
    for (const path of ['/v1/sessions', '/v1/feedback']) {
      const answer = await shop.get(path, { cursor });
      expectProblem(answer, { status: 400, code: 'invalid_request', pointers: ['/cursor'] });
    }
  });
});
