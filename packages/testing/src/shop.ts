import { expect } from 'vitest';
import { withQuery } from './endpoints.ts';
import { PUBLIC_KEY, SAMPLE, SECRET_KEY } from './sample-property.ts';
import {
  discard,
  type StartOptions,
  startServer,
  type TestResponse,
  type TestServer,
} from './test-server.ts';

type Fields = Record<string, unknown>;
type Headers = Record<string, string>;
type Body = TestResponse['body'];

interface SampleProperty extends Fields {
  id: string;
}

/** The sample with additional or changed fields of `shop` (lists are extended) and additional properties. */
export function sampleWith(shop: Fields, others: readonly Fields[] = []): { properties: Fields[] } {
  const [sample, ...rest] = SAMPLE.properties as SampleProperty[];
  const extended: Fields = { ...sample };
  for (const [name, value] of Object.entries(shop)) {
    const known = extended[name];
    extended[name] = Array.isArray(known) && Array.isArray(value) ? [...known, ...value] : value;
  }
  return { properties: [extended, ...rest, ...others] };
}

export async function openShop(options: StartOptions = {}): Promise<Shop> {
  return new Shop(await startServer({ provision: SAMPLE, ...options }));
}

export const closeShop = (shop: Shop | undefined): Promise<void> => discard(shop?.server);

/** Client for the sample property; checks every response against the OpenAPI document. */
export class Shop {
  readonly server: TestServer;

  constructor(server: TestServer) {
    this.server = server;
  }

  /** A POST with the public key. */
  browse(path: string, body: unknown, headers: Headers = {}): Promise<TestResponse> {
    return this.server.call('POST', path, { key: PUBLIC_KEY, body, headers });
  }

  /** A POST with the secret key. */
  post(path: string, body: unknown, headers: Headers = {}): Promise<TestResponse> {
    return this.server.call('POST', path, { key: SECRET_KEY, body, headers });
  }

  get(path: string, query: Headers = {}, key: string = SECRET_KEY): Promise<TestResponse> {
    return this.server.call('GET', withQuery(path, { propertyId: 'shop', ...query }), { key });
  }

  collect(fields: Fields, headers?: Headers): Promise<TestResponse> {
    return this.browse('/v1/sessions/collect', { propertyId: 'shop', ...fields }, headers);
  }

  expose(...exposures: unknown[]): Promise<TestResponse> {
    return this.browse('/v1/split-testing/expose', { propertyId: 'shop', exposures });
  }

  increment(fields: Fields, headers?: Headers): Promise<TestResponse> {
    return this.post('/v1/goals/increment', { propertyId: 'shop', ...fields }, headers);
  }

  decrement(fields: Fields, headers?: Headers): Promise<TestResponse> {
    return this.post('/v1/goals/decrement', { propertyId: 'shop', ...fields }, headers);
  }

  submit(fields: Fields, headers?: Headers): Promise<TestResponse> {
    return this.post('/v1/feedback/submit', { propertyId: 'shop', ...fields }, headers);
  }

  evaluate(fields: Fields): Promise<TestResponse> {
    return this.post('/v1/flags/evaluate', { propertyId: 'shop', ...fields });
  }

  /** The usage of one flag, by environment. */
  async flagUsage(flagKey: string): Promise<Body> {
    const { flags } = okBody(await this.get('/v1/flags/usage', { flagKey }));
    expect(flags).toHaveLength(1);
    return Object.fromEntries(flags[0].environments.map((it: Body) => [it.environment, it]));
  }

  async progress(goalId: string, query: Headers = {}): Promise<Body> {
    return okBody(await this.get('/v1/goals/progress', { goalId, ...query }));
  }

  async results(splitTestKey: string, query: Headers = {}): Promise<Body> {
    return okBody(await this.get('/v1/split-testing/results', { splitTestKey, ...query }));
  }

  async aaTest(): Promise<Body> {
    return okBody(await this.get('/v1/split-testing/aa-test'));
  }

  async feedback(query: Headers = {}): Promise<Body> {
    return okBody(await this.get('/v1/feedback', query));
  }

  async sessions(query: Headers = {}): Promise<Body> {
    return okBody(await this.get('/v1/sessions', query));
  }

  /** With the max page size of the timeline. */
  async session(sessionId: string): Promise<Body> {
    return okBody(await this.get(`/v1/sessions/${encodeURIComponent(sessionId)}`, { limit: '1000' }));
  }

  /** The timeline entries of one type; the timeline must fit on one page. */
  async timeline(sessionId: string, type: string): Promise<Body[]> {
    const { timeline, nextCursor } = await this.session(sessionId);
    expect(nextCursor).toBeNull();
    return timeline.filter((entry: Body) => entry.type === type);
  }

  /** Whether nothing was stored for the session. */
  async isUnknown(sessionId: string): Promise<boolean> {
    const response = await this.get(`/v1/sessions/${encodeURIComponent(sessionId)}`);
    return response.status === 404 && response.body.error.code === 'not_found';
  }
}

function okBody(response: TestResponse): Body {
  expect(response.status, response.text).toBe(200);
  return response.body;
}

/** Expects exactly `{"success":true}`. */
export function expectAccepted(response: TestResponse): void {
  expect(response.text).toBe('{"success":true}');
  expect(response.status).toBe(200);
}

/** Expects that all writes were accepted. */
export async function accepted(...responses: Promise<TestResponse>[]): Promise<void> {
  for (const response of await Promise.all(responses)) expectAccepted(response);
}

export interface ExpectedProblem {
  status: number;
  code: string;
  /** Of all invalid fields, in any order; undefined: the response has no `errors`. */
  pointers?: readonly string[];
}

/** Checks all fields of a problem document, including our extensions of RFC 9457. */
export function expectProblem(response: TestResponse, { status, code, pointers }: ExpectedProblem): void {
  expect({ status: response.status, code: response.body?.error?.code }, response.text).toEqual({
    status,
    code,
  });
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
  const { errors, ...problem } = response.body;
  expect(problem).toEqual({
    type: `/docs/errors#${code}`,
    title: expect.stringMatching(/\S/),
    status,
    detail: expect.stringMatching(/\S/),
    requestId: response.headers.get('x-request-id'),
    success: false,
    error: { code, message: problem.detail },
  });
  const actual = errors?.map(({ pointer }: { pointer: string }) => pointer).sort();
  expect(actual, response.text).toEqual(pointers === undefined ? undefined : [...pointers].sort());
}

/** Waits for the next millisecond and returns it. */
export async function nextMillisecond(): Promise<number> {
  const start = Date.now();
  while (Date.now() === start) await new Promise((resolve) => setImmediate(resolve));
  return Date.now();
}
