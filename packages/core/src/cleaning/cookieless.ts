/**
 * Ids of visitors and sessions of pages that store nothing on the device. The mark is part of the id, so that whatever
 * arrives first, an exposure, a conversion or the session itself, is known to be counted only and never listed.
 */
export const COOKIELESS_PREFIX = 'cookieless-';

export const isCookieless = (id: string | null | undefined): boolean =>
  id?.startsWith(COOKIELESS_PREFIX) ?? false;

interface StoredIds {
  sessionId: string | null;
  visitorId: string | null;
  userId: string | null;
}

/** An entry of a list without the ids of a session that must not be listed. */
export function withoutCookielessIds<T extends StoredIds>(entry: T): T {
  return isCookieless(entry.sessionId) ? { ...entry, sessionId: null, visitorId: null, userId: null } : entry;
}
