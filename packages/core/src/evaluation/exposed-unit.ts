import { MAX_ID_LENGTH } from '../api/limits/id-lengths.ts';
import { type Context, readAttribute, textOf } from './attribute-values.ts';
import { smallSha256 } from './small-sha256.ts';

/** Whom an exposure to a measured rule is about: a session or, without one, a visitor or user. */
export interface ExposedUnit {
  readonly sessionId?: string;
  readonly visitorId?: string;
  readonly userId?: string;
}

/**
 * Begins the ids of visitors and sessions that exist only because a rule was measured for them. Their sessions are no
 * visits, so they are not listed and not counted as traffic.
 */
export const UNIT_PREFIX = 'unit~';

/** Hexadecimal digits; the runtime may have a faster one. */
type Sha256 = (text: string) => string;

const DIGITS = 32;

/** An id that does not tell what it was made of. */
export const hashedUnit = (parts: readonly string[], sha256: Sha256 = smallSha256): string =>
  UNIT_PREFIX + sha256(JSON.stringify(parts)).slice(0, DIGITS);

interface Settings {
  propertyId: string;
  keepsUsers?: boolean;
  sha256?: Sha256;
}

/**
 * Whom an evaluation is recorded for. A session belongs to its visitor, whoever is named next to it. Any other attribute
 * that decided, such as an e-mail address, is stored as a hash.
 *
 * @param unit the value that decided the draw
 */
export function exposedUnit(
  { propertyId, keepsUsers = true, sha256 }: Settings,
  context: Context,
  unit: string,
): ExposedUnit {
  const idOf = (name: keyof typeof MAX_ID_LENGTH | 'targetingKey') => {
    const value = readAttribute(context, name);
    const text = typeof value === 'boolean' ? undefined : textOf(value);
    // A targeting key counts as a visitor.
    const max = MAX_ID_LENGTH[name === 'targetingKey' ? 'visitorId' : name];
    return text && isAtMost(max, text) ? text : undefined;
  };
  const sessionId = idOf('sessionId');
  if (sessionId !== undefined) return { sessionId };
  const visitorId = idOf('visitorId');
  const userId = keepsUsers ? idOf('userId') : undefined;
  if (visitorId !== undefined || userId !== undefined) {
    return { ...(visitorId !== undefined && { visitorId }), ...(userId !== undefined && { userId }) };
  }
  const isKey = idOf('targetingKey') === unit && !unit.includes('@');
  return { visitorId: isKey ? unit : hashedUnit([propertyId, unit], sha256) };
}

/** In characters, as the service counts them; emojis have two code units. */
const isAtMost = (max: number, text: string) =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max);
