import { expect } from 'vitest';
import { withQuery } from './endpoints.ts';
import { PUBLIC_KEY, SAMPLE, SECRET_KEY } from './sample-property.ts';
import { type Answer, discard, type StartOptions, startServer, type TestServer } from './test-server.ts';

type Fields = Record<string, unknown>;
type Headers = Record<string, string>;
type Body = Answer['body'];

interface SampleProperty extends Fields {
  id: string;
}

/** The sample, its property `shop` with more in its lists or other fields, and perhaps more properties. */
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

/** The sample property, as its browsers and its backend use it; every answer is held against the OpenAPI document. */
export class Shop {
  readonly server: TestServer;

  constructor(server: TestServer) {
    this.server = server;
  }

  /** What a browser may send. */
  browse(path: string, body: unknown, headers: Headers = {}): Promise<Answer> {
    return this.server.call('POST', path, { key: PUBLIC_KEY, body, headers });
  }

  /** What only a server may send. */
  post(path: string, body: unknown, headers: Headers = {}): Promise<Answer> {
    return this.server.call('POST', path, { key: SECRET_KEY, body, headers });
  }

  get(path: string, query: Headers = {}, key: string = SECRET_KEY): Promise<Answer> {
    return this.server.call('GET', withQuery(path, { propertyId: 'shop', ...query }), { key });
  }

  collect(fields: Fields, headers?: Headers): Promise<Answer> {
    return this.browse('/v1/sessions/collect', { propertyId: 'shop', ...fields }, headers);
  }

  expose(...exposures: unknown[]): Promise<Answer> {
    return this.browse('/v1/split-testing/expose', { propertyId: 'shop', exposures });
  }

  increment(fields: Fields, headers?: Headers): Promise<Answer> {
    return this.post('/v1/goals/increment', { propertyId: 'shop', ...fields }, headers);
  }

  decrement(fields: Fields, headers?: Headers): Promise<Answer> {
    return this.post('/v1/goals/decrement', { propertyId: 'shop', ...fields }, headers);
  }

  submit(fields: Fields, headers?: Headers): Promise<Answer> {
    return this.post('/v1/feedback/submit', { propertyId: 'shop', ...fields }, headers);
  }

  evaluate(fields: Fields): Promise<Answer> {
    return this.post('/v1/flags/evaluate', { propertyId: 'shop', ...fields });
  }

  async progress(goalId: string, query: Headers = {}): Promise<Body> {
    return found(await this.get('/v1/goals/progress', { goalId, ...query }));
  }

  async results(splitTestKey: string): Promise<Body> {
    return found(await this.get('/v1/split-testing/results', { splitTestKey }));
  }

  async feedback(query: Headers = {}): Promise<Body> {
    return found(await this.get('/v1/feedback', query));
  }

  async sessions(query: Headers = {}): Promise<Body> {
    return found(await this.get('/v1/sessions', query));
  }

  /** With the largest page of its timeline. */
  async session(sessionId: string): Promise<Body> {
    return found(await this.get(`/v1/sessions/${encodeURIComponent(sessionId)}`, { limit: '1000' }));
  }

  /** The entries of one type in the timeline of a session, which fits on a page. */
  async timeline(sessionId: string, type: string): Promise<Body[]> {
    const { timeline, nextCursor } = await this.session(sessionId);
    expect(nextCursor).toBeNull();
    return timeline.filter((entry: Body) => entry.type === type);
  }

  /** True when nothing that named the session was stored. */
  async isUnknown(sessionId: string): Promise<boolean> {
    const answer = await this.get(`/v1/sessions/${encodeURIComponent(sessionId)}`);
    return answer.status === 404 && answer.body.error.code === 'not_found';
  }
}

function found(answer: Answer): Body {
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** A write that was stored: nothing but `{"success":true}`. */
export function expectAccepted(answer: Answer): void {
  expect(answer.text).toBe('{"success":true}');
  expect(answer.status).toBe(200);
}

/** All of them; for setting a scene. */
export async function accepted(...responses: Promise<Answer>[]): Promise<void> {
  for (const answer of await Promise.all(responses)) expectAccepted(answer);
}

export interface ExpectedProblem {
  status: number;
  code: string;
  /** Of all wrong fields, in any order; undefined: the answer has no `errors`. */
  pointers?: readonly string[];
}

/** An error answer in full: RFC 9457 and the members of ours. */
export function expectProblem(answer: Answer, { status, code, pointers }: ExpectedProblem): void {
  expect({ status: answer.status, code: answer.body?.error?.code }, answer.text).toEqual({ status, code });
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
  const { errors, ...problem } = answer.body;
  expect(problem).toEqual({
    type: `/docs/errors#${code}`,
    title: expect.stringMatching(/\S/),
    status,
    detail: expect.stringMatching(/\S/),
    requestId: answer.headers.get('x-request-id'),
    success: false,
    error: { code, message: problem.detail },
  });
  const named = errors?.map(({ pointer }: { pointer: string }) => pointer).sort();
  expect(named, answer.text).toEqual(pointers === undefined ? undefined : [...pointers].sort());
}

/** Resolves in a later millisecond than it was called in, with that millisecond. */
export async function nextMillisecond(): Promise<number> {
  const start = Date.now();
  while (Date.now() === start) await new Promise((resolve) => setImmediate(resolve));
  return Date.now();
}
