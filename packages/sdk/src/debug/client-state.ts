import { hasPrivacySignal } from '../browser/privacy-signal.ts';
import { attempt } from '../client/attempt.ts';
import type { SplitTestingOptions } from '../client/browser-client.ts';
import type { FlagSnapshot } from '../client/page-flags.ts';
import type { Choice, SplitTestConfig } from '../client/split-tests.ts';
import { narratePayload } from '../narration/narrate-payload.ts';

export interface TestState {
  testKey: string;
  /** `undefined`: there is no such test. */
  choice: Choice | undefined;
  reason: string;
  exposure: 'recorded' | 'earlier' | 'server' | 'none';
}

/** A flag that the page has read. */
interface FlagState {
  key: string;
  value: unknown;
  reason: string;
}

interface PendingBatch {
  path: string;
  what: string;
  attempts: number;
}

export interface SentRequest {
  at: number;
  path: string;
  what: string;
  /** `undefined` while it is in flight; 0 without a response. */
  status: number | undefined;
}

/** What the overlay shows. */
export interface ClientState {
  propertyId: string;
  consent: boolean;
  /** Because of Global Privacy Control or Do Not Track. */
  isRefused: boolean;
  visitorId: string | undefined;
  sessionId: string | undefined;
  /** Passed by the server, for tests with the unit `user`. */
  userId: string | undefined;
  definitions: { config: SplitTestConfig; source: 'bootstrap' | 'cache' | 'service' } | undefined;
  tests: Map<string, TestState>;
  /** Keys of the tests whose exposure the server has recorded while it rendered the page. */
  serverExposures: Set<string>;
  flags: Map<string, FlagState>;
  /** All flags of the relay; `undefined` before they are loaded, and without a relay. */
  listedFlags: FlagSnapshot['flags'] | undefined;
  pending: Map<string, PendingBatch>;
  sent: SentRequest[];
  lastError: string | undefined;
  nextRetryAt: number | undefined;
  warnings: Set<string>;
}

/** Reads JSON from the storage of the page; `undefined` if there is none. */
export function readStored(key: string): unknown {
  return attempt(() => JSON.parse(localStorage.getItem(key) ?? 'null') ?? undefined);
}

/** A batch in the queue of the client. */
export interface StoredBatch {
  path: string;
  body: string;
}

/** The id of a batch from its key in storage, without the prefix; conversions through the relay have their own queue. */
export const batchId = (key: string): string | undefined => /^(?:relay:)?q:(.*)$/s.exec(key)?.[1];

export const storagePrefix = (propertyId: string) => `sy:propertyId=${encodeURIComponent(propertyId)}:`;

/** The state before the first record, as far as it can be read from the page. */
export function initialState(options: SplitTestingOptions): ClientState {
  const { propertyId, bootstrap, consent, respectPrivacySignals } = options;
  const hasSignal = hasPrivacySignal() === true;
  const passed = bootstrap === undefined ? globalThis.__SWITCHYARD__ : bootstrap;
  const rendered = (passed?.propertyId ?? propertyId) === propertyId ? passed : undefined;
  return {
    propertyId,
    // With required consent: as soon as the client stores the ids.
    consent: consent !== 'required' && !hasSignal,
    isRefused: hasSignal && respectPrivacySignals !== false,
    visitorId: undefined,
    sessionId: undefined,
    userId: rendered?.userId,
    // The records tell what was cached: by now, the page may have stored newer definitions.
    definitions: rendered?.config && { config: rendered.config, source: 'bootstrap' },
    tests: new Map(),
    serverExposures: new Set(rendered?.exposed),
    flags: new Map(),
    listedFlags: undefined,
    pending: storedBatches(propertyId),
    sent: [],
    lastError: undefined,
    nextRetryAt: undefined,
    warnings: new Set(),
  };
}

/** The queue, including what earlier pages have left. */
function storedBatches(propertyId: string): Map<string, PendingBatch> {
  const prefix = storagePrefix(propertyId);
  const pending = new Map<string, PendingBatch>();
  for (const key of Object.keys(attempt(() => localStorage) ?? {})) {
    const id = key.startsWith(prefix) ? batchId(key.slice(prefix.length)) : undefined;
    const batch = id === undefined ? undefined : (readStored(key) as StoredBatch | undefined);
    if (id === undefined || !batch?.body) continue;
    const { path, body } = batch;
    pending.set(id, { path, what: narratePayload(path, body), attempts: 0 });
  }
  return pending;
}
