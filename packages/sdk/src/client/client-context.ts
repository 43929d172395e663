import type { Host } from './host.ts';
import type { Bootstrap } from './split-tests.ts';

export interface ApiResponse {
  /** How long to wait before a retry; 0: do not retry. */
  retryDelayMs: number;
  /** 0 if there was no response. */
  status: number;
  body: unknown;
}

/** What the parts of one client share. */
export interface ClientContext extends Host {
  /** `propertyId=…`: in request URLs and in storage keys, so that the properties of an origin do not mix. */
  propertyQuery: string;
  bootstrap: Bootstrap | null | undefined;
  /** Gets something from the service, or posts a body; to the service, or to another base URL. */
  sendRequest(path: string, body?: string, idempotencyKey?: string, baseUrl?: string): Promise<ApiResponse>;
  notifyListeners(): void;
}
