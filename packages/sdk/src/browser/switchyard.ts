import type { Attributes, SplitTesting, SplitTestingOptions } from '../client/browser-client.ts';
import type { AnySchema, SwitchyardSchema } from '../client/schema.ts';

export interface SwitchyardOptions extends SplitTestingOptions {
  /** Records a page view at the start and whenever path or query change. Default: `true`. */
  autoPage?: boolean;
  /**
   * With `consent: 'required'`: events before consent are kept in the memory of the page, up to 100, and recorded once
   * consent is given; refused or never given, they are dropped. Default: `false`.
   */
  queueBeforeConsent?: boolean;
  /**
   * Query parameters of URLs that are recorded, besides `utm_…`, `ref`, `source` and that there was a click id. The
   * property must allow them too.
   */
  allowedParameters?: readonly string[];
  /** Explains decisions and deliveries in the console, as `?sy_debug` in the page's URL does, which also shows an overlay. */
  debug?: boolean;
}

export interface Switchyard<Schema extends SwitchyardSchema = AnySchema> extends SplitTesting<Schema> {
  /** Assigns the whole session to a user. */
  identify(userId: string, traits?: Attributes): void;
  /** Records an event. */
  track(name: string, properties?: Attributes): void;
  /** Records a page view; needed only with `autoPage: false`. */
  page(): void;
}
