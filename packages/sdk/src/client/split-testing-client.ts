import { attempt } from './attempt.ts';
import type { Attributes, SplitTesting, SplitTestingOptions, SplitTests } from './browser-client.ts';
import { createDefinitions } from './definitions.ts';
import { type Ask, createDelivery } from './delivery.ts';
import type { Host } from './host.ts';
import { isTransient, parseRetryAfter, retryDelay } from './retry.ts';
import { type Choice, choose } from './split-tests.ts';
import { createVisit, type Ids } from './visit.ts';

const ANSWER_WITHIN_MS = 15_000;
const BATCH_AFTER_MS = 1000;
const MAX_IN_BATCH = 20;
const MAX_OBJECT_BYTES = 8192;
/** Marks in a session's list of firsts that it was tied to its visitor; no test has a number for a key. */
const TIED = 0;

/** What happened in a session, as `sessions/collect` takes it. */
export interface SessionEvent {
  type: 'pageview' | 'event' | 'identify';
  name?: string;
  url?: string | undefined;
  referrer?: string;
  readonly title?: string;
  timestamp: number;
  properties?: Attributes | undefined;
}

/** Records events; without any, ties the session to its visitor. Nothing happens without consent. */
export type Collect = (...events: SessionEvent[]) => void;

/** What is known of the visitor; it goes with whatever is collected next. */
interface Person {
  userId?: string | undefined;
  attributes?: Attributes | undefined;
}

export type SplitTestingClient = readonly [
  client: SplitTesting,
  collect: Collect,
  /** The network or the page is back: tries again what has failed, and what others have left. */
  wake: () => void,
  person: Person,
];

/** A copy of an object that can be sent, or `undefined`: one bad object must not spoil the batch it is in. */
export function sendable(value: unknown): Attributes | undefined {
  const text = attempt(() => JSON.stringify(value)) ?? '';
  // A Blob would know its size, too, but asks another process for it.
  if (text[0] === '{' && new TextEncoder().encode(text).length <= MAX_OBJECT_BYTES) return JSON.parse(text);
  console.error('switchyard: cannot send', value);
  return undefined;
}

/**
 * Split testing without a page: everything it needs is handed over.
 *
 * @param started when there is consent, or none is needed
 * @param previewed when the address overrides a test
 * @param listening aborted when it is over
 * @param isInert only fallbacks, nothing else
 */
export function createSplitTestingClient(
  { apiUrl, publicApiKey, propertyId, consent, bootstrap }: SplitTestingOptions,
  given: Host,
  started: ((collect: Collect) => void) | undefined,
  previewed: (choice: Choice) => void,
  listening: AbortController,
  isInert: boolean,
): SplitTestingClient {
  const { now } = given;
  // Whatever was to be done later is not done without consent.
  const later = (run: () => void, milliseconds: number) =>
    given.later(() => {
      if (isRunning) run();
    }, milliseconds);
  const host: Host = { ...given, later };
  const query = new URLSearchParams({ propertyId });
  const prefix = `sy:${query}:`;
  const listeners = new Set<() => void>();
  /** What was shown stays for the page, also when definitions change; `undefined`: there was no such test. */
  const shown = new Map<string, Choice | undefined>();
  const exposed = new Set<Choice>();
  const person: Person = {};
  /** Whose all this is; another session starts over. */
  let ids: Ids | undefined;
  let isRunning = false;
  let exposures: object[] = [];
  let events: SessionEvent[] | undefined;
  let isDue = false;
  let failures = 0;

  const ask: Ask = async (path, init) => {
    let status = 0;
    let retryAfterMs = 0;
    let body: unknown;
    try {
      const response = await host.fetch(apiUrl.replace(/\/+$/, '') + path, {
        ...init,
        headers: { 'x-api-key': publicApiKey, ...init?.headers },
        signal: AbortSignal.timeout?.(ANSWER_WITHIN_MS),
      });
      status = response.status;
      retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), now());
      body = await response.json();
    } catch {}
    failures = isTransient(status) ? failures + 1 : 0;
    // An answer that comes after consent was withdrawn tells nothing.
    return [failures && retryDelay(failures, retryAfterMs, host.random), status, isRunning && body];
  };

  const notify = () => {
    for (const listener of listeners) attempt(listener);
  };

  const [present, isFirst, clear] = createVisit(host, prefix, bootstrap);
  const [addBatch, send, flushBatches] = createDelivery(host, `${prefix}q:`, ask);
  const [loadDefinitions, definitions, refresh, ready] = createDefinitions(
    host,
    `${prefix}config`,
    bootstrap,
    () => ask(`/v1/split-testing/config?${query}`),
    notify,
  );

  const formBatches = () => {
    if (exposures.length) addBatch('/v1/split-testing/expose', { propertyId, exposures });
    if (events) addBatch('/v1/sessions/collect', { propertyId, ...ids, ...person, events });
    exposures = [];
    events = undefined;
    isDue = false;
  };

  const deliver = () => {
    formBatches();
    send();
  };

  const deliverSoon = () => {
    if (exposures[MAX_IN_BATCH - 1] || events?.[MAX_IN_BATCH - 1]) deliver();
    else if (!isDue) {
      isDue = true;
      later(deliver, BATCH_AFTER_MS);
    }
  };

  /** Whoever is here now; a new session is tied to its visitor before anything is recorded in it. */
  const enter = (): Ids | undefined => {
    if (!isRunning) return undefined;
    const here = present();
    if (ids !== here) {
      formBatches();
      ids = here;
      shown.clear();
      if (isFirst(TIED)) collect();
    }
    return ids;
  };

  const collect: Collect = (...added) => {
    if (!enter()) return;
    events = (events ?? []).concat(added);
    deliverSoon();
  };

  const choiceOf = (testKey: string): Choice | undefined => {
    if (!enter()) return undefined;
    const config = definitions();
    if (config && !shown.has(testKey)) {
      refresh();
      const preview = new URLSearchParams(host.search).get(`sy_${testKey}`);
      const test = config.tests.find((each) => each?.key === testKey);
      const choice = test && choose(test, ids!.visitorId, preview, config.holdout);
      shown.set(testKey, choice);
      if (choice?.preview) previewed(choice);
    }
    return shown.get(testKey);
  };

  const reader = (isRecorded?: boolean) => (testKey: string, fallback: unknown) => {
    const choice = choiceOf(testKey);
    if (!choice) return fallback;
    if (isRecorded && choice.included && !exposed.has(choice)) {
      exposed.add(choice);
      if (isFirst(testKey)) {
        exposures.push({
          splitTestKey: testKey,
          variationKey: choice.variationKey,
          sessionId: ids?.sessionId,
          timestamp: now(),
          phase: choice.phase,
          attributes: person.attributes,
        });
        deliverSoon();
      }
    }
    return choice.value;
  };

  const assignments = (): Choice[] =>
    (definitions()?.tests ?? []).flatMap((test) => choiceOf(test?.key) ?? []);

  const wake = () => {
    if (!isRunning) return;
    refresh();
    send(true);
  };

  const start = () => {
    if (isInert || isRunning) return;
    isRunning = true;
    // Sending what earlier pages have left can wait until this one is shown.
    deliverSoon();
    loadDefinitions();
    started?.(collect);
  };

  const flush = async () => {
    formBatches();
    // Also what an earlier page has left must not be sent without consent.
    if (isRunning) await flushBatches();
  };

  if (consent !== 'required') start();

  const client: SplitTesting = {
    ready: async () => ready(),
    splitTest: {
      get: reader(true),
      peek: reader(),
      assignments,
      previews: () => assignments().filter(({ preview }) => preview),
    } as SplitTests,
    setAttributes(added) {
      person.attributes = sendable({ ...person.attributes, ...added }) ?? person.attributes;
      collect();
    },
    sessionId: () => enter()?.sessionId,
    visitorId: () => enter()?.visitorId,
    setConsent(isGranted) {
      if (isGranted) start();
      else {
        isRunning = false;
        // What waits becomes a batch, and all batches go with the ids.
        formBatches();
        person.userId = person.attributes = undefined;
        // Outside of a page there is nothing to clear.
        attempt(clear);
      }
      notify();
    },
    flush,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    destroy() {
      void flush();
      isInert = true;
      isRunning = false;
      listeners.clear();
      listening.abort();
    },
  };
  return [client, collect, wake, person];
}
