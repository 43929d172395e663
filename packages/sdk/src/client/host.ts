import type { OpenAudiences } from './audiences.ts';
import type { Choice } from './split-tests.ts';

/** A key-value store of JSON values; values that cannot be persisted last as long as the page. */
export interface Store {
  // biome-ignore lint/suspicious/noExplicitAny: anything may have been written there, so every reader checks
  get(key: string): any;
  /** `undefined` removes the key. */
  set(key: string, value: unknown): void;
  listKeys(prefix: string): string[];
}

/** The environment of a client, injected so that the same code runs in a page and in a simulation. */
export interface Host {
  fetch(url: string, init: RequestInit): Promise<Response>;
  now(): number;
  random(): number;
  schedule(run: () => void, milliseconds: number): void;
  store: Store;
  /** All cookies, in the format of `document.cookie`. */
  readCookies(): string | undefined;
  writeCookie(name: string, value: string, maxAgeSeconds: number): void;
  /** The domain that shares the cookies, if it is not this host alone. */
  sharedCookieDomain?: string | undefined;
  /** The query string of the page's URL. */
  urlQuery: string;
  /** Calls back at once, or when a page that was prerendered is shown. */
  whenShown(run: () => void): void;
  /** Loads what decides about audiences. */
  loadAudiences(apiUrl: string): Promise<{ openAudiences: OpenAudiences }>;
  /** Tells the other tabs, and other clients of this page, what the visitor has decided. */
  announceConsent?(key: string, isGranted: boolean): void;
  /** Called when a test is read for the first time; there is no choice if the test is not running. */
  onChoice(testKey: string, choice: Choice | undefined): void;
}
