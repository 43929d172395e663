import { attempt } from '../client/attempt.ts';
import type { SplitTestingOptions } from '../client/browser-client.ts';
import type { Bootstrap, Choice, SplitTestConfig } from '../client/split-tests.ts';
import { payloadWords } from '../narration/payload-words.ts';

type Snapshot = Pick<Bootstrap, 'config' | 'fetchedAt'>;

export interface TestState {
  testKey: string;
  /** `undefined`: there is no such test. */
  choice: Choice | undefined;
  reason: string;
  exposure: 'recorded' | 'earlier' | 'none';
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
  visitorId: string | undefined;
  sessionId: string | undefined;
  definitions: { config: SplitTestConfig; source: 'bootstrap' | 'cache' | 'service' } | undefined;
  tests: Map<string, TestState>;
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

export const storagePrefix = (propertyId: string) => `sy:${new URLSearchParams({ propertyId })}:`;

/** The state before the first record, as far as it can be read from the page. */
export function initialState({ propertyId, bootstrap, consent }: SplitTestingOptions): ClientState {
  const passed = bootstrap === undefined ? globalThis.__SWITCHYARD__ : bootstrap;
  const rendered = (passed?.propertyId ?? propertyId) === propertyId ? passed : undefined;
  const cached = readStored(`${storagePrefix(propertyId)}config`) as Snapshot | undefined;
  const config = rendered?.config ?? cached?.config;
  return {
    propertyId,
    // With required consent: as soon as the client stores the ids.
    consent: consent !== 'required',
    visitorId: undefined,
    sessionId: undefined,
    definitions: config && { config, source: rendered ? 'bootstrap' : 'cache' },
    tests: new Map(),
    pending: storedBatches(propertyId),
    sent: [],
    lastError: undefined,
    nextRetryAt: undefined,
    warnings: new Set(),
  };
}

/** The queue, including what earlier pages have left. */
function storedBatches(propertyId: string): Map<string, PendingBatch> {
  const prefix = `${storagePrefix(propertyId)}q:`;
  const pending = new Map<string, PendingBatch>();
  for (const key of Object.keys(attempt(() => localStorage) ?? {})) {
    const batch = key.startsWith(prefix) ? (readStored(key) as StoredBatch | undefined) : undefined;
    if (!batch?.body) continue;
    const { path, body } = batch;
    pending.set(key.slice(prefix.length), { path, what: payloadWords(path, body), attempts: 0 });
  }
  return pending;
}
