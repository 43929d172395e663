import type { Host } from './host.ts';
import type { Bootstrap } from './split-tests.ts';

interface ApiResponse {
  /** How long to wait before a retry; 0: do not retry. */
  retryDelayMs: number;
  /** 0 if there was no response. */
  status: number;
  body: unknown;
}

/** What the parts of one client share. */
export interface ClientContext extends Host {
  /** `propertyId=…`: in request URLs, and in storage keys, so that the properties of an origin do not mix. */
  propertyQuery: URLSearchParams;
  bootstrap: Bootstrap | null | undefined;
  sendRequest(path: string, init?: RequestInit): Promise<ApiResponse>;
  notifyListeners(): void;
}
