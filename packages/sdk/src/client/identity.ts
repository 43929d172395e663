/** First-party cookies with the ids, shared by server rendering and the page. */
export const VISITOR_COOKIE = 'sy_visitor';
export const SESSION_COOKIE = 'sy_session';

export const VISITOR_SECONDS = 365 * 24 * 60 * 60;
/** 13 months, for the preset `cnil`: counted from the first visit. */
export const FIXED_VISITOR_SECONDS = 395 * 24 * 60 * 60;
/** A session ends after this long without activity. */
export const SESSION_IDLE_SECONDS = 30 * 60;

/** The id in a cookie; `undefined` if the cookie is missing or does not hold a valid id. */
export function cookieId(header: string | null | undefined, name: string): string | undefined {
  // A regular expression for the whole header would be compiled on every first view.
  return `${header}`
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1))
    .find((value) => /^[a-z\d-]{8,128}$/i.test(value));
}

/** 128 random bits. `randomUUID` is not available in pages without TLS. */
export function newId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
