import type { CallRecord } from '../browser/debug-tools.ts';
import type { SplitTestingOptions } from '../client/browser-client.ts';
import { SESSION_COOKIE, VISITOR_COOKIE } from '../client/identity.ts';
import type { FlagSnapshot } from '../client/page-flags.ts';
import { isTransient } from '../client/retry.ts';
import type { Bootstrap, Choice } from '../client/split-tests.ts';
import { narrateAssignment } from '../narration/narrate-assignment.ts';
import { narratePayload } from '../narration/narrate-payload.ts';
import {
  batchId,
  type ClientState,
  initialState,
  readStored,
  type StoredBatch,
  storagePrefix,
} from './client-state.ts';
import { FlagObserver } from './flag-observer.ts';
import { describeFailure, describeResponse, type Outcome } from './response-outcome.ts';

const MAX_SENT = 30;
/** The client does not use older definitions and flags. */
const MAX_CACHE_AGE_MS = 24 * 60 * 60 * 1000;

type Snapshot = Pick<Bootstrap, 'config' | 'fetchedAt'>;

interface ObserverOptions extends SplitTestingOptions {
  /** Called with each line of the narration. */
  say(line: string): void;
  onChange(): void;
}

/** Understands what a client does from the calls to its host: keeps a state for the overlay, and narrates. */
export class ClientObserver {
  readonly state: ClientState;
  readonly #prefix: string;
  readonly #claimPrefix: string;
  readonly #say: (line: string) => void;
  readonly #onChange: () => void;
  /** The outcome of the last attempt of each batch. */
  readonly #outcomes = new Map<string, Promise<Outcome>>();
  readonly #flags: FlagObserver;
  #expectsRetry = false;

  constructor({ say, onChange, ...options }: ObserverOptions) {
    this.state = initialState(options);
    this.#prefix = storagePrefix(options.propertyId);
    this.#claimPrefix = `${this.#prefix}seen:`;
    this.#say = say;
    this.#onChange = onChange;
    this.#flags = new FlagObserver(this.state, say);
    const { definitions, serverExposures } = this.state;
    if (definitions) this.#sayDefinitions();
    for (const testKey of serverExposures) say(`${testKey}: exposure recorded by the server`);
    if (this.state.isRefused) {
      say(
        'Global Privacy Control or Do Not Track is on: tests return their fallback, nothing is stored or sent',
      );
    } else if (!this.state.consent) {
      say(
        'consent is required: tests return their fallback, and nothing is stored or sent before setConsent(true)',
      );
    }
  }

  observe([at, name, args, result]: CallRecord): void {
    if (name === 'fetch') this.#onFetch(at, args as [string, RequestInit], result as Promise<Response>);
    else if (name === 'get') this.#onCacheRead(at, args[0] as string, result);
    else if (name === 'flag') this.#flags.onRead(args[0] as string, args[1], result);
    else if (name === 'set') this.#onStored(args[0] as string, args[1]);
    else if (name === 'onChoice') this.#onChoice(args[0] as string, args[1] as Choice | undefined);
    else if (this.#expectsRetry) {
      this.#expectsRetry = false;
      this.state.nextRetryAt = at + (args[1] as number);
      this.#say(`next attempt in ${((args[1] as number) / 1000).toFixed(1)} s`);
    }
    this.#onChange();
  }

  /** What the client finds in its cache when it starts. */
  #onCacheRead(at: number, key: string, value: unknown): void {
    const { state } = this;
    const cached = value as (Partial<Snapshot> & Partial<FlagSnapshot>) | null | undefined;
    if (!(Math.abs(at - (cached?.fetchedAt ?? 0)) < MAX_CACHE_AGE_MS)) return;
    if (key === `${this.#prefix}flags`) {
      const isOwn = cached!.visitorId === state.visitorId;
      if (isOwn) this.#flags.onSnapshot(cached as FlagSnapshot, 'from the cache');
    } else if (key === `${this.#prefix}config` && cached!.config?.tests && !state.definitions) {
      state.definitions = { config: cached!.config, source: 'cache' };
      this.#sayDefinitions();
    }
  }

  #onStored(key: string, value: unknown): void {
    const { state } = this;
    if (key === VISITOR_COOKIE) this.#onVisitor(value as string | undefined);
    else if (key === SESSION_COOKIE)
      state.sessionId = (value as { sessionId: string } | undefined)?.sessionId;
    else if (key === `${this.#prefix}config` && value) {
      state.definitions = { config: (value as Snapshot).config, source: 'service' };
      this.#sayDefinitions();
    } else if (key === `${this.#prefix}flags`) this.#flags.onSnapshot(value as FlagSnapshot, 'fetched');
    else if (key.startsWith(this.#claimPrefix)) this.#onClaim(key.slice(this.#claimPrefix.length), value);
    else if (key.startsWith(this.#prefix)) {
      const id = batchId(key.slice(this.#prefix.length));
      if (id !== undefined) this.#onBatch(id, value);
    }
  }

  #onVisitor(visitorId: string | undefined): void {
    const { state } = this;
    const wasGranted = state.consent;
    state.consent = visitorId !== undefined;
    if (visitorId !== state.visitorId && visitorId) this.#say(`visitor ${visitorId}`);
    if (wasGranted && !visitorId) {
      this.#say('consent withdrawn: the ids and everything not yet sent are deleted');
      state.tests.clear();
      state.flags.clear();
      state.listedFlags = undefined;
      state.userId = undefined;
    }
    state.visitorId = visitorId;
  }

  #sayDefinitions(): void {
    const { config, source } = this.state.definitions!;
    const from = { bootstrap: "from the server's bootstrap", cache: 'from the cache', service: 'fetched' }[
      source
    ];
    this.#say(`definitions ${from}: ${config.tests.map(({ key }) => key).join(', ') || 'no running test'}`);
  }

  #onChoice(testKey: string, choice: Choice | undefined): void {
    const { state } = this;
    const reason = this.#reasonFor(testKey, choice);
    if (!choice) state.warnings.add(`${testKey}: not running or does not exist.`);
    state.tests.set(testKey, {
      testKey,
      choice,
      reason,
      exposure: state.serverExposures.has(testKey) ? 'server' : this.#isClaimed(testKey) ? 'earlier' : 'none',
    });
    this.#say(`${testKey}: ${choice ? `${choice.variationKey}, ` : ''}${reason}`);
  }

  #reasonFor(testKey: string, choice: Choice | undefined): string {
    const { definitions, visitorId, userId } = this.state;
    const test = definitions?.config.tests.find(({ key }) => key === testKey);
    if (!choice) return 'fallback, because the test is not running or does not exist';
    if (!test || !visitorId) return 'assigned with earlier definitions';
    const previewKey = choice.preview ? choice.variationKey : undefined;
    const { holdout } = definitions!.config;
    const input = { holdout, previewKey, userId };
    const member = narrateAssignment(test, visitorId, { ...input, isInAudience: true });
    const isOutside = test.audience && member.included && !choice.included;
    const { variationKey, words } = isOutside
      ? narrateAssignment(test, visitorId, { ...input, isInAudience: false })
      : member;
    return variationKey === choice.variationKey ? words : 'assigned with earlier definitions';
  }

  #isClaimed(testKey: string): boolean {
    const { sessionId = '' } = this.state;
    const [claimedIn] = (readStored(this.#claimPrefix + testKey) ?? []) as unknown[];
    return claimedIn === sessionId;
  }

  #onClaim(testKey: string, value: unknown): void {
    const test = this.state.tests.get(testKey);
    if (!test || !value) return;
    test.exposure = 'recorded';
    this.#say(`${testKey}: exposure to ${test.choice?.variationKey} recorded, once in this session`);
  }

  #onBatch(id: string, value: unknown): void {
    const { pending } = this.state;
    if (value) {
      const { path, body } = value as StoredBatch;
      const what = narratePayload(path, body);
      if (!pending.has(id)) this.#say(`queued: ${what}`);
      pending.set(id, { path, what, attempts: pending.get(id)?.attempts ?? 0 });
      return;
    }
    const batch = pending.get(id);
    const outcome = this.#outcomes.get(id) ?? Promise.resolve(undefined);
    void outcome.then((ended) => {
      pending.delete(id);
      this.#outcomes.delete(id);
      this.#onRemoved(batch?.what ?? 'a batch', ended);
      this.#onChange();
    });
  }

  #onRemoved(what: string, outcome: Outcome | undefined): void {
    if (outcome && outcome.status >= 200 && outcome.status < 300) {
      this.#say(`acknowledged: ${what}`);
      return;
    }
    const isRefused = outcome && outcome.status >= 400 && !isTransient(outcome.status);
    const why = isRefused
      ? `the service refused it (${outcome.words})`
      : 'the queue is full, it is too old, or consent was withdrawn';
    this.#say(`dropped: ${what}, because ${why}`);
    this.state.warnings.add(`Dropped ${what}: ${why}.`);
  }

  #onFetch(at: number, [url, init]: [string, RequestInit], response: Promise<Response>): void {
    const { state } = this;
    const { pathname: path, searchParams } = new URL(url, location.href);
    const method = init.method ?? 'GET';
    const what = narratePayload(path, init.body);
    const sent: ClientState['sent'][number] = { at, path: `${method} ${path}`, what, status: undefined };
    state.sent.push(sent);
    if (state.sent.length > MAX_SENT) state.sent.shift();
    this.#say(`sent ${method} ${path}${what && `: ${what}`}`);
    const id = searchParams.get('idempotencyKey');
    const batch = id === null ? undefined : state.pending.get(id);
    if (batch) batch.attempts += 1;
    const outcome = response.then(describeResponse, describeFailure);
    if (id !== null) this.#outcomes.set(id, outcome);
    void response.then(
      ({ status }) => this.#onResponse(sent, status),
      () => this.#onResponse(sent, 0),
    );
    void outcome.then((ended) => this.#onOutcome(sent, ended));
  }

  /** Runs before the client handles the response, so that the next timer is known to be a retry. */
  #onResponse(sent: ClientState['sent'][number], status: number): void {
    sent.status = status;
    this.#expectsRetry = isTransient(status);
    if (!this.#expectsRetry) this.state.nextRetryAt = undefined;
  }

  #onOutcome({ path }: ClientState['sent'][number], { status, words }: Outcome): void {
    const { state } = this;
    if (status >= 200 && status < 400) state.lastError = undefined;
    else {
      state.lastError = `${path}: ${words}`;
      this.#say(`failed ${path}: ${words}`);
      if (!isTransient(status)) state.warnings.add(`${path}: ${words}.`);
    }
    this.#onChange();
  }
}
