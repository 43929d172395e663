import type { AnySchema, KeyOf, SwitchyardSchema } from './schema.ts';
import type { Bootstrap, Choice } from './split-tests.ts';

export interface SplitTestingOptions {
  /** Where the service runs, e.g. `https://switchyard.example`. */
  apiUrl: string;
  /** A key that begins with `service_pub_`. */
  publicApiKey: string;
  propertyId: string;
  /** `required`: nothing is stored or sent before `setConsent(true)`. `granted` unless said. */
  consent?: 'granted' | 'required';
  /** What the server rendered for this visitor; `window.__SWITCHYARD__` unless said, `null` for none. */
  bootstrap?: Bootstrap | null;
  /** Hides the page, or what `selector` names, until definitions are here; never longer than `timeoutMs` (1000). */
  antiFlicker?: { timeoutMs?: number; selector?: string };
  /** Domain of the cookies, to share visitor and session between subdomains, e.g. `shop.example`. */
  cookieDomain?: string;
}

/** JSON values, at most 8 KiB of them. */
export type Attributes = Record<string, unknown>;

type Widened<T> = T extends string ? string : T extends number ? number : T extends boolean ? boolean : T;

/** What a test shows: by the schema if there is one, else whatever the fallback is. */
export type Shown<Value, Fallback> = unknown extends Value ? Widened<Fallback> : Value | Fallback;

type FallbackFor<Value> = unknown extends Value ? unknown : Value | null | undefined;

export interface SplitTests<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * What the visitor gets to see: the variation key, text or parsed JSON, by the type of the test. Counts the
   * visitor as exposed, once in a session. The fallback without definitions, consent or such a test.
   *
   * @example button.textContent = switchyard.splitTest.get('hero', 'Buy');
   */
  get<Key extends KeyOf<Schema['splitTests']>, const Fallback extends FallbackFor<Schema['splitTests'][Key]>>(
    testKey: Key,
    fallback: Fallback,
  ): Shown<Schema['splitTests'][Key], Fallback>;
  /** The same as `get`, but nothing is recorded. */
  peek<
    Key extends KeyOf<Schema['splitTests']>,
    const Fallback extends FallbackFor<Schema['splitTests'][Key]>,
  >(testKey: Key, fallback: Fallback): Shown<Schema['splitTests'][Key], Fallback>;
  /** The variation of every running test; nothing is recorded. */
  assignments(): Choice[];
  /** Those that the address of the page overrides, as in `?sy_hero=b`. */
  previews(): Choice[];
}

/** Split testing alone, without page views and events. */
export interface SplitTesting<Schema extends SwitchyardSchema = AnySchema> {
  /** Resolves when definitions are here or cannot be had; never rejects. */
  ready(): Promise<void>;
  readonly splitTest: SplitTests<Schema>;
  /** Adds attributes of the visitor; they go with exposures and with the session. */
  setAttributes(attributes: Attributes): void;
  /** `undefined` without consent. */
  sessionId(): string | undefined;
  /** `undefined` without consent. */
  visitorId(): string | undefined;
  /** `false` clears ids and everything not yet sent; from then on, fallbacks are shown. */
  setConsent(granted: boolean): void;
  /** Sends what is waiting; resolves when it was answered or has failed (then it is tried again later). */
  flush(): Promise<void>;
  /** Calls back when definitions arrive or consent changes; returns the function that ends it. */
  subscribe(listener: () => void): () => void;
  /** Sends what is waiting and leaves the page as it was. */
  destroy(): void;
}
