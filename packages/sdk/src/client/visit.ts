import { AUDIENCE_COOKIE } from './audience-cookie.ts';
import type { ClientContext } from './client-context.ts';
import type { Host } from './host.ts';
import {
  cookieId,
  newId,
  SESSION_COOKIE,
  SESSION_IDLE_SECONDS,
  VISITOR_COOKIE,
  VISITOR_SECONDS,
} from './identity.ts';
import type { Bootstrap } from './split-tests.ts';

/** Reading cookies is slow, so the ids are cached for this long. */
const ID_CACHE_MS = 5000;

export interface Ids {
  readonly visitorId: string;
  readonly sessionId: string;
  /** Only if the server has passed it to the page. */
  readonly userId?: string | undefined;
  /** What the server has decided, for the first view of the page. */
  audiences?: Bootstrap['audiences'];
}

export interface Visit {
  /**
   * The ids of visitor and session. Counts as activity; a new session gives a new object. `undefined` if somebody has
   * deleted them since the last call.
   */
  currentIds(): Ids | undefined;
  /** Whether somebody has deleted the ids that this page uses. */
  areDeleted(): boolean;
  /** True for the first call with this key in the session, across all tabs. */
  claimOnce(key: string | number): boolean;
  /** False if a tab that claimed the key at the same moment has won. Ask some time after `claimOnce`. */
  holdsClaim(key: string): boolean;
  /** Removes the ids and everything stored for this property. */
  clearIds(): void;
}

/** The ids of a visitor: in cookies for the server, and in storage for visitors who block cookies. */
export function createVisit(context: ClientContext): Visit {
  const { store, now, propertyQuery } = context;
  const prefix = `sy:${propertyQuery}:`;
  /** One item per key: tabs do not overwrite the claims of others. */
  const claimKey = (key: string | number) => `${prefix}seen:${key}`;
  const owner = newId();
  let { bootstrap } = context;
  let ids: Ids | undefined;
  let readAt = 0;

  const save = ({ visitorId, sessionId }: Ids, seenAt: number) => {
    // Not under the prefix: all properties of an origin share one visitor.
    store.set(VISITOR_COOKIE, visitorId);
    const last = store.get(SESSION_COOKIE);
    const returning = last?.sessionId === sessionId ? last.returning : !!last;
    store.set(SESSION_COOKIE, { sessionId, seenAt, returning });
  };

  const knownVisitor = (cookies: string | undefined): string | undefined =>
    cookieId(cookies, VISITOR_COOKIE) || store.get(VISITOR_COOKIE);

  const readIds = (time: number) => {
    if (bootstrap && !ids) save(bootstrap, time);
    const cookies = context.readCookies();
    const { sessionId: storedId, seenAt } = store.get(SESSION_COOKIE) ?? {};
    const knownId = knownVisitor(cookies);
    if (ids && !knownId) return undefined;
    const visitorId = knownId || newId();
    const cookie = cookieId(cookies, SESSION_COOKIE);
    const isActive = Math.abs(time - seenAt) <= SESSION_IDLE_SECONDS * 1000;
    // A session that is idle in storage is over even if its cookie lives, unless other subdomains may have used it.
    const sessionId =
      (isActive ? cookie || storedId : (context.sharedCookieDomain || cookie !== storedId) && cookie) ||
      newId();
    // The bootstrap of a cached page may be that of somebody else.
    const { userId, audiences } = bootstrap?.visitorId === visitorId ? bootstrap : ({} as Partial<Bootstrap>);
    if (sessionId !== ids?.sessionId) ids = { visitorId, sessionId, userId, audiences };
    save({ visitorId, sessionId }, time);
    context.writeCookie(VISITOR_COOKIE, visitorId, VISITOR_SECONDS);
    context.writeCookie(SESSION_COOKIE, sessionId, SESSION_IDLE_SECONDS);
    readAt = time;
    return ids;
  };

  const currentIds = () => {
    const time = now();
    return ids && time - readAt < ID_CACHE_MS ? ids : readIds(time);
  };

  const claimOnce = (key: string | number) => {
    const { sessionId } = ids!;
    const isClaimed =
      store.get(claimKey(key))?.[0] === sessionId ||
      (bootstrap?.sessionId === sessionId && bootstrap.exposed?.includes(key as string));
    if (!isClaimed) store.set(claimKey(key), [sessionId, owner]);
    return !isClaimed;
  };

  // Browsers tell other processes about changes of the storage a little later, and all agree on the last one.
  const holdsClaim = (key: string) => (store.get(claimKey(key))?.[1] ?? owner) === owner;

  const areDeleted = () => !!ids && !knownVisitor(context.readCookies());

  const clearIds = () => {
    bootstrap = ids = undefined;
    clearVisit(context, prefix);
  };

  return { currentIds, areDeleted, claimOnce, holdsClaim, clearIds };
}

/** Removes the ids and everything stored under the prefix. */
export function clearVisit(
  { store, writeCookie }: Pick<Host, 'store' | 'writeCookie'>,
  prefix: string,
): void {
  for (const key of store.listKeys(prefix)) store.set(key, undefined);
  for (const name of [VISITOR_COOKIE, SESSION_COOKIE, AUDIENCE_COOKIE]) {
    store.set(name, undefined);
    writeCookie(name, '', 0);
  }
}
