import { failure, type Result } from '../client/result.ts';
import type { AnySchema, KeyOf, SwitchyardSchema } from '../client/schema.ts';
import type { ApiClient } from './api-client.ts';
import type { Settings } from './options.ts';

/** Filters; without any, all sessions are returned. */
export interface SessionsQuery<Schema extends SwitchyardSchema = AnySchema> {
  /** Start of the period, in Unix milliseconds. */
  from?: number | undefined;
  /** End of the period (exclusive), in Unix milliseconds. */
  to?: number | undefined;
  visitorId?: string | undefined;
  userId?: string | undefined;
  splitTestKey?: KeyOf<Schema['splitTests']> | undefined;
  /** Requires `splitTestKey`. */
  variationKey?: string | undefined;
  goalId?: KeyOf<Schema['goals']> | undefined;
  /** Page size, 1 to 500. Default: 50. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

export interface Session {
  sessionId: string;
  visitorId: string | null;
  userId: string | null;
  /** Unix milliseconds, like all times here. */
  startedAt: number;
  lastSeenAt: number;
  durationMs: number;
  entryUrl: string | null;
  exitUrl: string | null;
  referrer: string | null;
  pageviews: number;
  /** Custom events. */
  events: number;
  country?: string;
  device: string | null;
  browser: string | null;
  os: string | null;
  exposures: { splitTestKey: string; variationKey: string; at: number }[];
  goals: { goalId: string; count: number; amount: number }[];
  /** Number of feedback entries. */
  feedback: number;
}

/** Newest first; `nextCursor` is null on the last page. */
export interface SessionsPage {
  sessions: Session[];
  nextCursor: string | null;
}

export interface Sessions<Schema extends SwitchyardSchema = AnySchema> {
  /** One page of sessions, newest first. */
  list(query?: SessionsQuery<Schema>): Promise<Result<SessionsPage>>;
  /**
   * Iterates over all pages. Ends after a page that fails.
   *
   * @example
   * for await (const page of switchyard.sessions.iterate({ goalId: 'signup' })) {
   *   if (!page.success) return console.error(page.error.message);
   *   for (const session of page.sessions) console.log(session.sessionId);
   * }
   */
  iterate(query?: SessionsQuery<Schema>): AsyncIterableIterator<Result<SessionsPage>>;
}

export function createSessions(settings: Settings, api: ApiClient): Sessions {
  const list = async (query: SessionsQuery = {}): Promise<Result<SessionsPage>> => {
    const result = await api.call({
      method: 'GET',
      path: '/v1/sessions',
      key: settings.secretApiKey,
      query: { ...query, propertyId: settings.propertyId },
      timeoutMs: settings.timeoutMs,
      retry: true,
    });
    if (!result.success) return failure(result.error.code, result.error.message);
    const { sessions, nextCursor } = result.data as SessionsPage;
    if (!Array.isArray(sessions)) {
      return failure('unexpected_response', 'The response is not a page of sessions.');
    }
    return { success: true, sessions, nextCursor: nextCursor ?? null };
  };
  return {
    list,
    async *iterate(query = {}) {
      for (let cursor = query?.cursor; ; ) {
        const page = await list({ ...query, cursor });
        yield page;
        if (!page.success || page.nextCursor === null) return;
        cursor = page.nextCursor;
      }
    },
  };
}
