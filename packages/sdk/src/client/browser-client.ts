import type { AnySchema, KeyOf, SwitchyardSchema } from './schema.ts';
import type { Bootstrap, Choice } from './split-tests.ts';

export interface SplitTestingOptions {
  /** Base URL of the service, e.g. `https://switchyard.example`. */
  apiUrl: string;
  /** Starts with `service_pub_`. */
  publicApiKey: string;
  propertyId: string;
  /** `required`: nothing is stored or sent before `setConsent(true)`. Default: `granted`. */
  consent?: 'granted' | 'required';
  /**
   * `true`: visitors with Global Privacy Control or Do Not Track never take part. `false`: they do after
   * `setConsent(true)`, whatever `consent` is, for sites that ask every visitor. Default: `true`.
   */
  respectPrivacySignals?: boolean;
  /** Data from server rendering; `null` for none. Default: `window.__SWITCHYARD__`. */
  bootstrap?: Bootstrap | null;
  /**
   * Hides the page, or the elements that match `selector`, until definitions are available, for at most `timeoutMs`
   * (default: 1000). With a content security policy, `nonce` is that of `style-src`.
   */
  antiFlicker?: { timeoutMs?: number; selector?: string; nonce?: string };
  /** Cookie domain, e.g. `shop.example`, to share visitors and sessions between subdomains. */
  cookieDomain?: string;
}

/** A JSON object of at most 8 KiB. */
export type Attributes = Record<string, unknown>;

type Widened<T> = T extends string ? string : T extends number ? number : T extends boolean ? boolean : T;

/** The type of a test's value: from the schema if there is one, else from the fallback. */
export type SplitTestValue<Value, Fallback> = unknown extends Value ? Widened<Fallback> : Value | Fallback;

type FallbackFor<Value> = unknown extends Value ? unknown : Value | null | undefined;

export interface SplitTests<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * The value for this visitor: a variation key, text or parsed JSON, depending on the type of the test. Records the
   * exposure once per session. Returns the fallback if there are no definitions, no consent or no such test.
   *
   * @example button.textContent = switchyard.splitTest.get('hero', 'Buy');
   */
  get<Key extends KeyOf<Schema['splitTests']>, const Fallback extends FallbackFor<Schema['splitTests'][Key]>>(
    testKey: Key,
    fallback: Fallback,
  ): SplitTestValue<Schema['splitTests'][Key], Fallback>;
  /** Like `get`, but records nothing. */
  peek<
    Key extends KeyOf<Schema['splitTests']>,
    const Fallback extends FallbackFor<Schema['splitTests'][Key]>,
  >(testKey: Key, fallback: Fallback): SplitTestValue<Schema['splitTests'][Key], Fallback>;
  /** The visitor's variation in every running test; records nothing. */
  assignments(): Choice[];
  /** The assignments that the page's URL overrides, as in `?sy_hero=b`. */
  previews(): Choice[];
}

/** Split testing only, without page views and events. */
export interface SplitTesting<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * Resolves when definitions have been loaded, when loading has failed, or after the timeout (default: 1000 ms after
   * the start); never rejects. A page whose definitions come later keeps its fallbacks and records no exposures.
   */
  ready(timeoutMs?: number): Promise<void>;
  readonly splitTest: SplitTests<Schema>;
  /** Adds attributes of the visitor; they are sent with exposures and with the session. */
  setAttributes(attributes: Attributes): void;
  /** `undefined` without consent. */
  sessionId(): string | undefined;
  /** `undefined` without consent. */
  visitorId(): string | undefined;
  /**
   * `false` deletes the ids and everything not yet sent; from then on, tests return their fallback. Applies to all open
   * tabs.
   */
  setConsent(granted: boolean): void;
  /** Sends pending events; resolves when the service has responded or sending has failed (it is retried later). */
  flush(): Promise<void>;
  /** Calls the listener when definitions arrive or consent changes. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** Sends pending events and removes all listeners from the page. */
  destroy(): void;
}
