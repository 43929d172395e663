import type { Attributes } from './browser-client.ts';

/** What the parts that use the relay share. */
export interface RelaySetup {
  /** Base URL of the relay, e.g. `/sy`. */
  relayUrl: string;
  propertyId: string;
  /** `undefined` without consent. Makes sure that the cookies exist, from which the relay takes the ids. */
  visitorId(): string | undefined;
  attributes(): Attributes | undefined;
  /** For goals and feedback that are refused: calls are often not awaited. */
  onError?: ((error: { code: string; message: string }) => void) | undefined;
}
