import { ENDPOINTS, type Endpoint, keyFor, nameOf } from '@switchyard/testing/fixtures/endpoints';
import { accepted, closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import {
  FUZZ_SEED,
  hostileJson,
  hostileText,
  like,
  likeQuery,
  runs,
  wellFormed,
} from '@switchyard/testing/random/fuzz';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  await accepted(shop.collect({ sessionId: 's-table', visitorId: 'v-table' }));
});
afterAll(() => closeShop(shop));

const rows = ENDPOINTS.map((endpoint) => ({ name: nameOf(endpoint), endpoint }));

/** Documented (checked by `call`) and not a server error, except 503. */
function expectNoServerError(response: TestResponse): void {
  if (response.status !== 503) expect(response.status, response.text).toBeLessThan(500);
}

/** Ids of all acknowledged sessions, as well-formed text. */
const acknowledged = new Set<string>();

function remember(body: TestResponse['body']): void {
  const known = (exposure: TestResponse['body']) =>
    exposure.splitTestKey === 'hero' && exposure.variationKey === 'b';
  const given = [body, ...(Array.isArray(body.exposures) ? body.exposures.filter(known) : [])];
  for (const { sessionId } of given)
    if (typeof sessionId === 'string') acknowledged.add(wellFormed(sessionId));
}

/** The path with hostile values for its parameters. */
const likePath = ({ template, path }: Endpoint): fc.Arbitrary<string> =>
  template.includes('{')
    ? fc.oneof(
        fc.constant(path),
        hostileText
          .filter((text) => text !== '' && !/^\.{1,2}$/.test(text))
          .map((text) => template.replace(/\{\w+\}/, () => encodeURIComponent(wellFormed(text)))),
      )
    : fc.constant(path);

describe(`every response to random input is documented (FUZZ_SEED=${FUZZ_SEED})`, () => {
  const withBody = rows.filter(({ endpoint }) => endpoint.body);
  it.each(withBody)('$name: bodies', async ({ endpoint }) => {
    const key = keyFor(endpoint);
    await fc.assert(
      fc.asyncProperty(
        likePath(endpoint),
        fc.oneof({ weight: 9, arbitrary: like(endpoint.body) }, { weight: 1, arbitrary: hostileJson }),
        async (path, body) => {
          const response = await shop.server.call('POST', path, { key, rawBody: JSON.stringify(body) });
          expectNoServerError(response);
          if (response.text === '{"success":true}') remember(body);
        },
      ),
      runs(50),
    );
  });

  it.each(withBody)('$name: malformed JSON', async ({ endpoint }) => {
    const key = keyFor(endpoint);
    const text = JSON.stringify(endpoint.body);
    const cut = fc.nat(text.length).map((length) => text.slice(0, length));
    const spliced = fc
      .tuple(fc.nat(text.length), hostileText)
      .map(([at, noise]) => text.slice(0, at) + noise + text.slice(at + 1));
    await fc.assert(
      fc.asyncProperty(fc.oneof(cut, spliced, fc.string({ unit: 'binary' })), async (rawBody) => {
        expectNoServerError(await shop.server.call('POST', endpoint.path, { key, rawBody }));
      }),
      runs(15),
    );
  });

  const withQuery = rows.filter(({ endpoint }) => endpoint.query && !endpoint.endless);
  it.each(withQuery)('$name: query strings', async ({ endpoint }) => {
    const key = keyFor(endpoint);
    const position = endpoint.template.endsWith('{sessionId}') ? '[1767225600000,7]' : '[1767225600000,"x"]';
    const query = {
      ...endpoint.query,
      ...(endpoint.query?.limit === undefined ? {} : { cursor: btoa(position) }),
    };
    await fc.assert(
      fc.asyncProperty(likePath(endpoint), likeQuery(query), async (path, search) => {
        expectNoServerError(await shop.server.call('GET', `${path}?${search}`, { key }));
      }),
      runs(40),
    );
  });

  it.each(rows.filter(({ endpoint }) => !endpoint.endless))('$name: headers', async ({ endpoint }) => {
    const { method, path, query, body } = endpoint;
    const value = fc.string({ unit: fc.constantFrom(...'aZ09 -_.:,;="\'/\\*é\u00ff\t') });
    const names = [
      'x-api-key',
      'idempotency-key',
      'content-type',
      'if-none-match',
      'origin',
      'x-environment',
      'user-agent',
      'accept',
      'x-request-id',
    ];
    const headers = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(headers, async (given) => {
        const address = query === undefined ? path : `${path}?${new URLSearchParams(query)}`;
        expectNoServerError(
          await shop.server.call(method, address, { key: keyFor(endpoint), body, headers: given }),
        );
      }),
      runs(8),
    );
  });
});

describe('afterwards', () => {
  it('everything that was acknowledged can be read', async () => {
    expect((await shop.server.call('GET', '/readyz')).status).toBe(200);
    const listed = new Set<string>();
    let cursor: string | null = null;
    do {
      const page: TestResponse['body'] = await shop.sessions({
        limit: '100',
        ...(cursor === null ? {} : { cursor }),
      });
      for (const { sessionId } of page.sessions) listed.add(sessionId);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(acknowledged.size).toBeGreaterThan(1);
    expect([...acknowledged].filter((sessionId) => !listed.has(sessionId))).toEqual([]);
    expect((await shop.feedback({ limit: '500' })).feedback.length).toBeGreaterThan(5);
    for (const goal of ['signup', 'revenue']) await shop.progress(goal);
    for (const test of ['hero', 'finished']) await shop.results(test);
  });

  it('the log is empty', () => {
    expect(
      shop.server.stdout.filter((line) => !/is listening on|No event has arrived yet/.test(line)),
    ).toEqual([]);
    expect(shop.server.stderr).toEqual([]);
  });
});
