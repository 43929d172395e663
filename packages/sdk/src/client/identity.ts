/** First-party cookies that carry the ids, so that server rendering and the page speak of the same visitor. */
export const VISITOR_COOKIE = 'sy_visitor';
export const SESSION_COOKIE = 'sy_session';

export const VISITOR_SECONDS = 365 * 24 * 60 * 60;
/** A session ends after this time without activity. */
export const SESSION_IDLE_SECONDS = 30 * 60;

/** A cookie may hold anything: whatever is no id of ours counts as absent. */
export function cookieId(header: string | null | undefined, name: string): string | undefined {
  return new RegExp(`(?:^|; *)${name}=([a-z\\d-]{8,128})(?:;|$)`, 'i').exec(`${header}`)?.[1];
}

/** 128 random bits. Not `randomUUID`, which pages without TLS do not have. */
export function newId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
