import { parseRetryAfter } from '@switchyard/core/retry-after';
import { attempt } from './attempt.ts';
import type { Audiences } from './audiences.ts';
import type { Attributes, SplitTesting, SplitTestingOptions, SplitTests } from './browser-client.ts';
import type { ClientContext } from './client-context.ts';
import { createDefinitions, type Definitions } from './definitions.ts';
import { createDelivery } from './delivery.ts';
import type { Host } from './host.ts';
import { isTransient, retryDelay } from './retry.ts';
import { type Choice, choose, type SplitTestConfig } from './split-tests.ts';
import { createVisit, type Ids } from './visit.ts';
import { warn } from './warn.ts';

const REQUEST_TIMEOUT_MS = 15_000;
const BATCH_DELAY_MS = 1000;
/** How long browsers take to tell all tabs about a change of the storage. */
const SETTLE_MS = 500;
const MAX_BATCH_SIZE = 20;
const MAX_OBJECT_BYTES = 8192;
/** Browsers limit keepalive requests to 64 KiB, and a character takes up to 3 bytes. */
const MAX_KEEPALIVE_CHARACTERS = 20_000;
/** Claim key for linking a session to its visitor; test keys are strings, so it never collides. */
const SESSION_LINK = 0;

/** An event of a session, in the format of `sessions/collect`. */
export interface SessionEvent {
  type: 'pageview' | 'event' | 'identify';
  name?: string;
  url?: string | undefined;
  referrer?: string;
  readonly title?: string;
  /** Set when it is recorded. */
  timestamp?: number;
  properties?: Attributes | undefined;
}

/** Records events; without arguments, only links the session to its visitor. Does nothing without consent. */
export type Collect = (...events: SessionEvent[]) => void;

/** What is known about the visitor; sent with the next events. */
interface Profile {
  userId?: string | undefined;
  attributes?: Attributes | undefined;
}

export interface SplitTestingClient {
  publicClient: SplitTesting;
  collect: Collect;
  /** The visitor has decided in another tab. */
  followConsent(isGranted: boolean): void;
  /** Call when the page or the network is back: retries failed requests, and sends batches left by other pages. */
  wakeUp(): void;
  profile: Profile;
  clientContext: ClientContext;
  untilShown: Definitions['untilShown'];
  /** The page shows something else now: it may use definitions that came too late for what it has shown. */
  startView(): void;
  /** Aborted when the client is destroyed. */
  signal: AbortSignal;
}

export interface ClientSetup {
  /** Called when the client starts: at once, or with the visitor's consent. */
  onStart?: ((collect: Collect, host: Host) => void) | undefined;
  /** Called when the visitor refuses or withdraws consent. */
  onStop?: (() => void) | undefined;
  /** Always returns fallbacks; stores and sends nothing. */
  isDisabled?: boolean;
}

// Not `URLSearchParams`: every class of the browser that a page uses for the first time takes a while.
const propertyQueryOf = (propertyId: string) => `propertyId=${encodeURIComponent(propertyId)}`;

/** In storage for a moment, so that other tabs notice. */
export const consentKey = (propertyId: string): string => `sy:${propertyQueryOf(propertyId)}:consent`;

/** A copy of the object if it can be sent, else `undefined`: one bad object must not spoil its batch. */
export function toSendable(value: unknown): Attributes | undefined {
  const text = attempt(() => JSON.stringify(value)) ?? '';
  // Not `new Blob([text]).size`, which involves another process.
  if (text[0] === '{' && new TextEncoder().encode(text).length <= MAX_OBJECT_BYTES) return JSON.parse(text);
  warn('cannot send', value);
  return undefined;
}

/** Split testing without a page: the host provides everything it needs. */
export function createSplitTestingClient(
  { apiUrl, publicApiKey, propertyId, consent, bootstrap }: SplitTestingOptions,
  host: Host,
  { onStart, onStop, isDisabled }: ClientSetup = {},
): SplitTestingClient {
  const { now } = host;
  const propertyQuery = propertyQueryOf(propertyId);
  const controller = new AbortController();
  const listeners = new Set<() => void>();
  /** Choices stay the same for the whole page, even if definitions change; `undefined`: there was no such test. */
  const choices = new Map<string, Choice | undefined>();
  let audiences: Audiences | undefined;
  const exposed = new Set<Choice>();
  const profile: Profile = {};
  /** The ids that pending events belong to; a new session starts over. */
  let ids: Ids | undefined;
  let isRunning = false;
  let exposures: { splitTestKey: string }[] = [];
  let events: SessionEvent[] | undefined;
  let exposedAt = 0;
  let isScheduled = false;
  let failures = 0;
  let wasRefused = false;

  // Without headers, and with a body that is text: pages of other origins can send that without a preflight.
  const sendRequest: ClientContext['sendRequest'] = async (path, body, idempotencyKey, baseUrl = apiUrl) => {
    let status = 0;
    let retryAfterMs = 0;
    let answer: unknown;
    try {
      const query = `${propertyQuery}&key=${publicApiKey}${idempotencyKey ? `&idempotencyKey=${idempotencyKey}` : ''}`;
      let url = baseUrl;
      while (url.endsWith('/')) url = url.slice(0, -1);
      const response = await host.fetch(`${url}${path}?${query}`, {
        ...(body && { method: 'POST', body, keepalive: body.length <= MAX_KEEPALIVE_CHARACTERS }),
        signal: AbortSignal.timeout?.(REQUEST_TIMEOUT_MS),
      });
      status = response.status;
      retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), now());
      answer = await response.json();
    } catch {}
    if (!wasRefused && (status === 401 || status === 403)) {
      wasRefused = true;
      // The message of the service says what to do.
      warn((answer as { detail?: string } | undefined)?.detail ?? status);
    }
    failures = isTransient(status) ? failures + 1 : 0;
    return {
      retryDelayMs: failures && retryDelay(failures, retryAfterMs, host.random),
      status,
      // Ignored if consent was withdrawn in the meantime.
      body: isRunning && answer,
    };
  };

  const notifyListeners = () => {
    for (const listener of listeners) attempt(listener);
  };

  /** Timers do nothing once consent is withdrawn. */
  const schedule = (run: () => void, milliseconds: number) =>
    host.schedule(() => {
      if (isRunning) run();
    }, milliseconds);

  const context: ClientContext = {
    ...host,
    schedule,
    propertyQuery,
    bootstrap,
    sendRequest,
    notifyListeners,
  };
  const visit = createVisit(context);
  const delivery = createDelivery(context);
  const prepare = ({ tests }: SplitTestConfig) => {
    if (!tests.some((test) => test?.audience)) return undefined;
    const { store, readCookies, writeCookie } = host;
    return host.loadAudiences(apiUrl).then(
      async ({ openAudiences }) => {
        audiences = await openAudiences(
          tests,
          store.get,
          store.set,
          readCookies,
          writeCookie,
          `sy:${propertyQuery}:entry`,
        );
        // Consent may have been withdrawn in the meantime.
        if (isRunning) for (const { testKey, phase } of exposed) audiences.remember(testKey, phase);
        notifyListeners();
      },
      // A content security policy may forbid it.
      (error) => warn('cannot load audiences', error),
    );
  };
  const definitions = createDefinitions(context, host, prepare);
  const { untilShown } = definitions;

  const enqueuePending = () => {
    const shown = exposures.filter(({ splitTestKey }) => visit.holdsClaim(splitTestKey));
    if (events) {
      const body = { propertyId, ...ids, ...profile, events, exposures: shown };
      delivery.enqueue('/v1/sessions/collect', body);
    } else if (shown.length) delivery.enqueue('/v1/split-testing/expose', { propertyId, exposures: shown });
    clearPending();
  };

  const clearPending = () => {
    exposures = [];
    events = undefined;
    isScheduled = false;
  };

  const deliver = () => {
    // A tab that recorded the same exposure at this moment is not known yet.
    if (now() - exposedAt < SETTLE_MS) schedule(deliver, SETTLE_MS);
    else {
      enqueuePending();
      void delivery.sendBatches();
    }
  };

  const deliverSoon = () => {
    if (exposures[MAX_BATCH_SIZE - 1] || events?.[MAX_BATCH_SIZE - 1]) deliver();
    else if (!isScheduled) {
      isScheduled = true;
      schedule(deliver, BATCH_DELAY_MS);
    }
  };

  /** The current ids, if running. A new session is linked to its visitor before anything is recorded in it. */
  const touchSession = (): Ids | undefined => {
    if (!isRunning) return undefined;
    const current = visit.currentIds();
    if (!current) changeConsent(false);
    else if (ids !== current) {
      enqueuePending();
      ids = current;
      choices.clear();
      exposed.clear();
      host.whenShown(() => {
        if (visit.claimOnce(SESSION_LINK)) collect();
      });
    }
    return current;
  };

  const collect: Collect = (...added) => {
    if (!isRunning) return;
    host.whenShown(() => {
      if (!touchSession()) return;
      for (const event of added) event.timestamp ??= now();
      events = (events ?? []).concat(added);
      deliverSoon();
    });
  };

  const expose = ({ testKey, variationKey, phase }: Choice) => {
    if (!touchSession() || !visit.claimOnce(testKey)) return;
    audiences?.remember(testKey, phase);
    exposures.push({
      splitTestKey: testKey,
      variationKey,
      sessionId: ids?.sessionId,
      timestamp: now(),
      phase,
      attributes: profile.attributes,
    } as (typeof exposures)[number]);
    exposedAt = now();
    deliverSoon();
  };

  const choiceFor = (testKey: string): Choice | undefined => {
    if (!touchSession()) return undefined;
    const config = definitions.currentConfig();
    const known = choices.get(testKey);
    // Whoever takes part stays.
    if (!config || known?.included) return known;
    const test = config.tests.find((each) => each?.key === testKey);
    // Attributes may have changed.
    if (!test?.audience && choices.has(testKey)) return known;
    definitions.refreshIfStale();
    const { urlQuery } = host;
    const previewKey = urlQuery && new URLSearchParams(urlQuery).get(`sy_${testKey}`);
    const isInAudience =
      !test?.audience ||
      (ids!.audiences?.[testKey] ??
        attempt(() => audiences?.includes(test, { ...ids, ...profile, ...profile.attributes })));
    // Not loaded yet, or a condition that only later versions know.
    if (isInAudience === undefined && !previewKey) return undefined;
    const choice = test && choose(test, { ...ids!, ...config, previewKey, isOutside: !isInAudience });
    if (known && !choice?.included) return known;
    choices.set(testKey, choice);
    if (!choice) warn('split test is not running or does not exist:', testKey);
    host.onChoice(testKey, choice);
    return choice;
  };

  const reader = (isRecorded?: boolean) => (testKey: string, fallback: unknown) => {
    const choice = choiceFor(testKey);
    if (!choice) return fallback;
    if (isRecorded && choice.included && !exposed.has(choice)) {
      exposed.add(choice);
      host.whenShown(() => expose(choice));
    }
    return choice.value;
  };

  const assignments = (): Choice[] =>
    definitions.currentConfig()?.tests.flatMap((test) => choiceFor(test?.key) ?? []) ?? [];

  const wakeUp = () => {
    stopIfDeleted();
    if (!isRunning) return;
    definitions.refreshIfStale();
    void delivery.sendBatches(true);
  };

  const start = () => {
    if (isDisabled || isRunning) return;
    isRunning = true;
    // Batches left by earlier pages can wait until this page is shown.
    deliverSoon();
    onStart?.(collect, host);
    definitions.loadCached();
  };

  const changeConsent = (isGranted: boolean) => {
    if (isGranted) start();
    else {
      isRunning = false;
      clearPending();
      profile.userId = profile.attributes = undefined;
      // Throws outside of a page, where there is nothing to clear.
      attempt(visit.clearIds);
      onStop?.();
    }
    notifyListeners();
  };

  /** A page that was frozen, or in the back/forward cache, could not be told that consent was withdrawn. */
  const stopIfDeleted = () => {
    if (isRunning && visit.areDeleted()) changeConsent(false);
  };

  const startView = () => {
    stopIfDeleted();
    // The server decided for the first view.
    if (ids) ids.audiences = undefined;
    if (!isRunning || definitions.currentConfig()) return;
    definitions.loadCached();
    notifyListeners();
  };

  const flush = async () => {
    enqueuePending();
    // Without consent, batches left by earlier pages must not be sent either.
    if (isRunning) await delivery.sendBatches(true);
  };

  if (consent !== 'required') start();

  const publicClient: SplitTesting = {
    ready: (timeoutMs) => untilShown(definitions.whenLoaded(), timeoutMs),
    splitTest: {
      get: reader(true),
      peek: reader(),
      assignments,
      previews: () => assignments().filter(({ preview }) => preview),
    } as SplitTests,
    setAttributes(added) {
      profile.attributes = toSendable({ ...profile.attributes, ...added }) ?? profile.attributes;
      if (audiences) notifyListeners();
      collect();
    },
    sessionId: () => touchSession()?.sessionId,
    visitorId: () => touchSession()?.visitorId,
    setConsent(isGranted) {
      changeConsent(isGranted);
      host.announceConsent?.(consentKey(propertyId), isGranted);
    },
    flush,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    destroy() {
      void flush();
      isDisabled = true;
      isRunning = false;
      listeners.clear();
      controller.abort();
    },
  };
  return {
    publicClient,
    collect,
    followConsent(isGranted) {
      if (isGranted !== isRunning) changeConsent(isGranted);
    },
    wakeUp,
    profile,
    clientContext: context,
    untilShown,
    startView,
    signal: controller.signal,
  };
}
