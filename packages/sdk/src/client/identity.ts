/** First-party cookies that carry the ids, so that server rendering and the page speak of the same visitor. */
export const VISITOR_COOKIE = 'sy_visitor';
export const SESSION_COOKIE = 'sy_session';

export const VISITOR_SECONDS = 365 * 24 * 60 * 60;
/** A session ends after this time without activity. */
export const SESSION_IDLE_SECONDS = 30 * 60;

const ID = /^[A-Za-z0-9-]{8,128}$/;

/** A cookie may hold anything: whatever is no id of ours counts as absent. */
export function cookieId(header: string | null | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at < 0 || part.slice(0, at).trim() !== name) continue;
    const value = part.slice(at + 1).trim();
    return ID.test(value) ? value : undefined;
  }
  return undefined;
}

/** 128 random bits. Not `randomUUID`, which pages without TLS do not have. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
