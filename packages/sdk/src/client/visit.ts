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

/** Cookies are slow to read: within this time, the ids of the last look count. */
const LOOK_AGAIN_MS = 5000;

export interface Ids {
  readonly visitorId: string;
  readonly sessionId: string;
}

export type Visit = readonly [
  /** Who is here, in which session. Counts as activity; the object changes when an id does. */
  present: () => Ids,
  /** True for the first caller in this session, in whichever tab. */
  isFirst: (what: string | number) => boolean,
  /** Forgets the ids, and whatever else is stored under the prefix. */
  clear: () => void,
];

/** The ids of a visitor: in cookies for the server, in storage for whoever blocks cookies. */
export function createVisit(host: Host, prefix: string, rendered?: Bootstrap | null): Visit {
  const { store, now } = host;
  const firstsKey = `${prefix}seen`;
  let ids: Ids | undefined;
  let lookedAt = 0;

  const keep = (visitorId: string, sessionId: string, time: number) => {
    // By the names of the cookies: properties of one origin speak of one visitor, too.
    store.set(VISITOR_COOKIE, visitorId);
    store.set(SESSION_COOKIE, [sessionId, time]);
  };

  const look = (time: number) => {
    if (rendered && !ids) keep(rendered.visitorId, rendered.sessionId, time);
    const cookies = host.cookies();
    const [kept, seenAt] = store.get(SESSION_COOKIE) ?? [];
    const visitorId = cookieId(cookies, VISITOR_COOKIE) || store.get(VISITOR_COOKIE) || newId();
    const cookie = cookieId(cookies, SESSION_COOKIE);
    const isActive = Math.abs(time - seenAt) <= SESSION_IDLE_SECONDS * 1000;
    // What storage knows as idle is over, whatever its cookie says, unless other subdomains may have gone on with it.
    const sessionId =
      (isActive ? cookie || kept : (host.cookieDomain || cookie !== kept) && cookie) || newId();
    if (sessionId !== ids?.sessionId) ids = { visitorId, sessionId };
    keep(visitorId, sessionId, time);
    host.setCookie(VISITOR_COOKIE, visitorId, VISITOR_SECONDS);
    host.setCookie(SESSION_COOKIE, sessionId, SESSION_IDLE_SECONDS);
    lookedAt = time;
    return ids as Ids;
  };

  const present = () => {
    const time = now();
    return ids && time - lookedAt < LOOK_AGAIN_MS ? ids : look(time);
  };

  const isFirst = (what: string | number) => {
    const { sessionId } = present();
    let firsts: unknown[] = store.get(firstsKey) ?? [];
    if (firsts[0] !== sessionId) {
      firsts = [sessionId].concat((rendered?.sessionId === sessionId && rendered.exposed) || []);
    }
    if (firsts.includes(what)) return false;
    store.set(firstsKey, [...firsts, what]);
    return true;
  };

  const clear = () => {
    rendered = ids = undefined;
    clearVisit(host, prefix);
  };

  return [present, isFirst, clear];
}

/** Removes the ids, and whatever else is stored under the prefix. */
export function clearVisit({ store, setCookie }: Pick<Host, 'store' | 'setCookie'>, prefix: string): void {
  for (const key of store.keys(prefix)) store.set(key, undefined);
  for (const name of [VISITOR_COOKIE, SESSION_COOKIE]) {
    store.set(name, undefined);
    setCookie(name, '', 0);
  }
}
