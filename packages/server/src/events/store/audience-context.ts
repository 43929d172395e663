import { isMasked } from '@switchyard/core/cleaning/mask-text';
import type { Context } from '@switchyard/core/evaluation/attribute-values';
import { isInAudience } from '@switchyard/core/evaluation/audience';
import { USER_AGENT_NAMES } from '@switchyard/core/evaluation/user-agent-names';
import { timeZone } from '@switchyard/core/time-zone';
import type { VisitEntry, VisitPart } from './session-context-queries.ts';

/**
 * Pages know some attributes by themselves, which audiences of split tests can use. This is what the service knows of
 * them: the page is the first one of the session, and the time is that of its start. Flags do not have these attributes.
 */
const PARTS: readonly (readonly [VisitPart, RegExp])[] = [
  ['entry', /^(path$|referrer$|query\.|utm\.)/],
  ['start', /^hour$/],
  ['returning', /^returning$/],
];

/** What must be read of a visit to know these attributes. */
export const visitPartsFor = (names: Iterable<string>): VisitPart[] => {
  const all = [...names];
  return PARTS.filter(([, pattern]) => all.some((name) => pattern.test(name))).map(([part]) => part);
};

/** The context of a session with what its first page and its user agent tell; its own attributes come first. */
export function withEntry(context: Context, entry: Partial<VisitEntry> = {}): Context {
  return { ...byUserAgent(context), ...entryAttributes(entry), ...context };
}

/** What is known of a visit besides its first page. */
export interface VisitStart {
  startedAt?: number | undefined;
  returning?: boolean | undefined;
}

/** The context of a session with what its start tells; its own attributes come first. */
export function withStart(context: Context, { startedAt, returning }: VisitStart, zone: string): Context {
  return {
    ...(startedAt !== undefined && { hour: new Date(timeZone(zone).local(startedAt)).getUTCHours() }),
    ...(returning !== undefined && { returning }),
    ...context,
  };
}

function entryAttributes({ entryUrl = null, referrer = null }: Partial<VisitEntry>): Context {
  const url = urlOf(entryUrl);
  // Of several parameters with one name, pages see the first.
  const parameters = [...new URLSearchParams(url?.search)].reverse();
  const known = [
    ['path', url?.pathname],
    // Pages leave out its parameters.
    ['referrer', referrer?.split('?')[0] || undefined],
    ...parameters.map(([name, value]) => [`query.${name}`, value]),
    ...parameters
      .filter(([name]) => name.startsWith('utm_'))
      .map(([name, value]) => [`utm.${name.slice('utm_'.length)}`, value]),
  ];
  return Object.fromEntries(known.filter(([, value]) => value !== undefined && !isMasked(value)));
}

/** Stored URLs may be relative, and are whatever pages have sent. */
function urlOf(text: string | null): URL | undefined {
  if (text === null) return undefined;
  try {
    return new URL(text, 'http://page.invalid');
  } catch {
    return undefined;
  }
}

/** Names of device and browser, as pages find them out. */
function byUserAgent({ userAgent }: Context): Context {
  if (typeof userAgent !== 'string') return {};
  const tools = { regex: () => () => false };
  const names = Object.entries(USER_AGENT_NAMES).map(([attribute, audiences]) => {
    const found = Object.entries(audiences).find(([, audience]) =>
      isInAudience(audience, () => userAgent, tools),
    );
    return [attribute, found?.[0]];
  });
  return Object.fromEntries(names.filter(([, name]) => name !== undefined));
}
