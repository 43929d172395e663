import { failure, type Result } from '../client/result.ts';
import type { AnySchema, KeyOf, SwitchyardSchema } from '../client/schema.ts';
import type { ApiClient } from './api-client.ts';
import type { Settings } from './options.ts';

/** Which sessions; all of them when nothing is said. */
export interface SessionsQuery<Schema extends SwitchyardSchema = AnySchema> {
  /** From this time on, in Unix milliseconds. */
  from?: number | undefined;
  /** Before this time, in Unix milliseconds. */
  to?: number | undefined;
  visitorId?: string | undefined;
  userId?: string | undefined;
  splitTestKey?: KeyOf<Schema['splitTests']> | undefined;
  /** Goes with `splitTestKey`. */
  variationKey?: string | undefined;
  goalId?: KeyOf<Schema['goals']> | undefined;
  /** Sessions in a page, 1 to 500; 50 unless said. */
  limit?: number | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
}

export interface Session {
  sessionId: string;
  visitorId: string | null;
  userId: string | null;
  /** Unix milliseconds, as all times here. */
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
   * Page after page. A page that cannot be had is the last one.
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
    const answer = await api.call({
      method: 'GET',
      path: '/v1/sessions',
      key: settings.secretApiKey,
      query: { ...query, propertyId: settings.propertyId },
      timeoutMs: settings.timeoutMs,
      retry: true,
    });
    if (!answer.success) return failure(answer.error.code, answer.error.message);
    const { sessions, nextCursor } = answer.data as SessionsPage;
    if (!Array.isArray(sessions)) {
      return failure('unexpected_answer', 'The service answered with something that is no page of sessions.');
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
