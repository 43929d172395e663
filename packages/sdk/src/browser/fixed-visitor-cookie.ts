import type { Host } from '../client/host.ts';
import { cookieId, FIXED_VISITOR_SECONDS, VISITOR_COOKIE } from '../client/identity.ts';

/** The visitor is known by the cookie alone, which is never written again, so that its lifetime is not prolonged. */
export function fixVisitorCookie(host: Host): void {
  const { store, readCookies, writeCookie } = host;
  const { get, set } = store;
  store.get = (key) => (key === VISITOR_COOKIE ? undefined : get(key));
  store.set = (key, value) => set(key, key === VISITOR_COOKIE ? undefined : value);
  host.writeCookie = (name, value, seconds) => {
    if (name !== VISITOR_COOKIE || !value) writeCookie(name, value, seconds);
    else if (!cookieId(readCookies(), VISITOR_COOKIE)) writeCookie(name, value, FIXED_VISITOR_SECONDS);
  };
}
