import { isInAudience, needsValues } from '@switchyard/core/evaluation/audience';
import { AUDIENCE_COOKIE, AUDIENCE_SECONDS, isKept, keepTest } from '../client/audience-cookie.ts';
import type { OpenAudiences } from '../client/audiences.ts';
import { SESSION_COOKIE } from '../client/identity.ts';
import { loadValues } from './load-values.ts';

interface StoredSession {
  sessionId: string;
  /** Whether this browser had a session before. */
  returning?: boolean;
}

/** What is remembered of the first page of a session. */
type Entry = [sessionId?: string, referrer?: string, utm?: string];

const regex = (pattern: string, caseInsensitive: boolean) => {
  const compiled = new RegExp(pattern, caseInsensitive ? 'iu' : 'u');
  return (text: string) => compiled.test(text);
};

/** The entry of `/sdk-audience.js`, which the browser client loads when a test has an audience. */
export const openAudiences: OpenAudiences = async (
  tests,
  read,
  write,
  readCookies,
  writeCookie,
  entryKey,
) => {
  const targeted = tests.filter((test) => test?.audience);
  const values = needsValues(targeted) ? await loadValues() : undefined;

  /** What pages know by themselves. */
  const pageAttribute = (name: string): unknown => {
    const { sessionId, returning } = read(SESSION_COOKIE) as StoredSession;
    const { pathname, search } = location;
    let entry = (read(entryKey) ?? []) as Entry;
    if (entry[0] !== sessionId) {
      // Other parameters may contain secrets.
      const utm = search.match(/utm_\w+=[^&]*/g)?.join('&');
      entry = [sessionId, document.referrer.split('?')[0], utm];
      write(entryKey, entry);
    }
    const [, referrer, utm] = entry;
    const [, kind, key] = /^(query|utm)\.(.*)/s.exec(name) ?? [];
    if (key)
      return new URLSearchParams(kind === 'utm' ? utm : search).get(kind === 'utm' ? `utm_${key}` : key);
    return {
      path: pathname,
      referrer: referrer || undefined,
      language: navigator.language,
      userAgent: navigator.userAgent,
      hour: new Date().getHours(),
      returning,
    }[name];
  };

  return {
    includes: ({ key, phase, audience }, known) =>
      isKept(readCookies(), key, phase) ||
      isInAudience(audience!, (name) => new Map(Object.entries(known)).get(name) ?? pageAttribute(name), {
        regex,
        values,
      }),
    remember(testKey, phase) {
      if (targeted.some(({ key }) => key === testKey))
        writeCookie(AUDIENCE_COOKIE, keepTest(readCookies(), testKey, phase), AUDIENCE_SECONDS);
    },
  };
};
