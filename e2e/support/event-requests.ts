import { PUBLIC_KEY, SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import type { SeededRandom } from './random.ts';

/** A goal that is only sent without a session, so that only its total can be checked. */
export const SESSIONLESS_GOAL = 'sessionless';

export const LOAD_PROVISION = {
  properties: SAMPLE.properties.map((property) =>
    property.id === 'shop'
      ? {
          ...property,
          goals: [...property.goals, { id: SESSIONLESS_GOAL, name: 'Without a session', kind: 'count' }],
        }
      : property,
  ),
};

type EventKind = 'exposures' | 'increment' | 'refund' | 'sessionless' | 'feedback' | 'collect';

/** A request with unique ids, by which its events can be found on the server. */
export interface EventRequest {
  kind: EventKind;
  path: string;
  apiKey: string;
  body: Record<string, unknown>;
  idempotencyKey?: string;
  /** Sessions that are only used by this request. */
  sessions: string[];
  /** Cents, for goals. */
  cents: number;
}

/** Generates unique events of all kinds. */
export class EventRequests {
  readonly #random: SeededRandom;
  readonly #padding: string;
  #count = 0;

  /** @param padding extra bytes of attributes, metadata or message in each event */
  constructor(random: SeededRandom, padding: number) {
    this.#random = random;
    this.#padding = 'x'.repeat(padding);
  }

  next(): EventRequest {
    this.#count += 1;
    const mark = `${this.#random.seed.toString(36)}-${this.#count}`;
    const kind = this.#random.pick<EventKind>([
      'exposures',
      'exposures',
      'increment',
      'refund',
      'sessionless',
      'feedback',
      'collect',
    ]);
    const key = this.#random.next() < 0.5 ? { idempotencyKey: `key-${mark}` } : {};
    switch (kind) {
      case 'exposures':
        return this.#exposures(mark);
      case 'increment':
      case 'refund':
        return { ...this.#revenue(kind, mark), ...key };
      case 'sessionless':
        return {
          ...backend(kind, '/v1/goals/increment', { goalId: SESSIONLESS_GOAL, metadata: { mark } }),
          ...key,
        };
      case 'feedback':
        return { ...this.#feedback(mark), ...key };
      case 'collect':
        return this.#collect(mark);
    }
  }

  #exposures(mark: string): EventRequest {
    const session = `s-${mark}`;
    const second = this.#random.next() < 0.5 ? session : `${session}-b`;
    const attributes = this.#attributes();
    const variationKey = this.#random.pick(['control', 'b']);
    const exposures = [
      { splitTestKey: 'hero', variationKey, sessionId: session, attributes },
      { splitTestKey: 'finished', variationKey: 'b', sessionId: second, attributes },
    ];
    const sessions = [...new Set([session, second])];
    return browser('exposures', '/v1/split-testing/expose', { exposures }, sessions);
  }

  #revenue(kind: 'increment' | 'refund', mark: string): EventRequest {
    const sessionId = `s-${mark}`;
    const cents = this.#random.between(1, 99_999);
    const metadata = { mark, padding: this.#padding.slice(0, 256) };
    const body = { goalId: 'revenue', sessionId, amount: cents / 100, metadata };
    const path = `/v1/goals/${kind === 'refund' ? 'decrement' : 'increment'}`;
    return { ...backend(kind, path, body, [sessionId]), cents };
  }

  #feedback(mark: string): EventRequest {
    const sessionId = `s-${mark}`;
    const metadata = { padding: this.#padding.slice(0, 1024) };
    const body = { feedbackTypeId: 'nps', sessionId, option: 'good', message: mark, metadata };
    return backend('feedback', '/v1/feedback/submit', body, [sessionId]);
  }

  #collect(mark: string): EventRequest {
    const sessionId = `s-${mark}`;
    const url = `https://shop.example/${mark}`;
    const events = [{ type: 'pageview', url, properties: this.#attributes() }];
    return browser('collect', '/v1/sessions/collect', { sessionId, visitorId: `v-${mark}`, events }, [
      sessionId,
    ]);
  }

  #attributes(): Record<string, string> {
    return this.#padding === '' ? {} : { padding: this.#padding };
  }
}

type Sender = (
  kind: EventKind,
  path: string,
  body: Record<string, unknown>,
  sessions?: string[],
) => EventRequest;

const withKey =
  (apiKey: string): Sender =>
  (kind, path, body, sessions = []) => ({
    kind,
    path,
    apiKey,
    body: { propertyId: 'shop', ...body },
    sessions,
    cents: 0,
  });

const browser = withKey(PUBLIC_KEY);
const backend = withKey(SECRET_KEY);
