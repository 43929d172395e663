import { isMasked } from '../cleaning/mask-text.ts';
import type { Context } from './attribute-values.ts';

/** What the service knows of a session. */
export interface KnownSession {
  /** Omitted when only the visitor is known. */
  readonly sessionId?: string;
  readonly visitorId: string | null;
  readonly userId: string | null;
  readonly country: string | null;
  readonly device: string | null;
  readonly browser: string | null;
  readonly os: string | null;
}

/** Names that are filled in if the attributes do not have them. */
export const SESSION_FIELDS = ['country', 'device', 'browser', 'os'] as const;
export const SESSION_IDS = ['sessionId', 'visitorId', 'userId'] as const;

/** The user agent did not tell. */
const UNKNOWN = 'unknown';

/**
 * The context in which flags are evaluated for a session: its attributes, and what they do not say. Values that were
 * masked when they were stored are not known.
 *
 * @example sessionContext({ plan: 'pro' }, session) // { plan: 'pro', visitorId: 'v1', device: 'mobile', … }
 */
export function sessionContext(
  attributes: Readonly<Record<string, unknown>>,
  session: KnownSession,
): Context {
  const known = [...SESSION_IDS, ...SESSION_FIELDS]
    .map((name) => [name, session[name] ?? null] as const)
    .filter(([, value]) => value !== null && value !== UNKNOWN);
  const given = Object.entries(attributes).filter(
    ([, value]) => value !== null && value !== undefined && !isMasked(value),
  );
  return Object.fromEntries([...known, ...given]);
}
