import { DAY_MS, type FlagContext, type FlagRule } from '../history.ts';
import type { Definition } from './phases.ts';

/** A session that stands for a visitor or user who was evaluated without one. It is no visit. */
const UNIT = 'unit ';
export const isVisit = (sessionId: string) => !sessionId.startsWith(UNIT);

/** Whom an exposure is about: a session, with the visitor and user that it names, if it stands for them. */
export interface Exposed {
  sessionId: string;
  names?: { visitorId: string; userId: string | undefined };
}

export function exposedAs({
  sessionId,
  visitorId,
  userId,
}: Pick<FlagContext, 'sessionId' | 'visitorId' | 'userId'>): Exposed {
  if (sessionId !== undefined) return { sessionId };
  // Somebody of whom only the user is known is a visitor of their own.
  const visitor = visitorId ?? `${UNIT}of ${userId}`;
  return {
    sessionId: `${UNIT}${JSON.stringify([visitor, userId])}`,
    names: { visitorId: visitor, userId },
  };
}

/** What an evaluation serves, and the variation and the unit of the measured rule, if it counts. */
export interface Served {
  value: string;
  exposure?: { variationKey: string; exposed: Exposed };
}

/** The rule of a flag that is on. */
export function serve(
  { flagKey, ruleId, kind, by }: FlagRule,
  { variations, traffic, plans, otherwise }: Definition,
  context: FlagContext,
): Served {
  if (context.plan === 'team') return { value: 'for teams' };
  if (plans !== null && !plans.includes(context.plan ?? '')) return { value: otherwise };
  const { targetingKey, userId, email, visitorId, sessionId } = context;
  const unit = by === 'visitorId' ? visitorId : (targetingKey ?? userId ?? email ?? visitorId ?? sessionId);
  if (unit === undefined) return { value: otherwise };
  const point = (murmur3(`${flagKey}:${ruleId}:${unit}`) / 2 ** 32) * 100;
  const total = variations.reduce((sum, { weight }) => sum + weight, 0);
  let variationKey: string | undefined;
  if (kind === 'rollout') variationKey = point < variations[1]!.weight ? 'on' : 'off';
  else {
    let from = 0;
    for (const { key, weight } of variations) {
      const width = (weight / total) * 100;
      if (point >= from && point < from + width * (traffic / 100)) variationKey = key;
      from += width;
    }
  }
  if (variationKey === undefined) return { value: otherwise };
  const value = variationKey === 'off' ? otherwise : valueIn(variationKey);
  const isKnown = (sessionId ?? visitorId ?? userId) !== undefined;
  // An address is stored as a hash.
  const stranger = targetingKey === unit ? unit : `${UNIT}#${unit}`;
  const exposed = exposedAs(isKnown ? context : { visitorId: stranger });
  return { value, exposure: { variationKey, exposed } };
}

/** What a variation of a measured rule serves. */
export const valueIn = (variationKey: string) => `value of ${variationKey}`;

/** Recorded once a day for each phase, variation and unit. */
export class Memory {
  readonly #known = new Set<string>();

  isFirst(at: number, testKey: string, phase: number, exposure: Served['exposure']): boolean {
    const key = JSON.stringify([Math.floor(at / DAY_MS), testKey, phase, exposure]);
    const isKnown = this.#known.has(key);
    this.#known.add(key);
    return !isKnown;
  }
}

/** MurmurHash3, x86, 32 bits, of ASCII text. */
function murmur3(text: string): number {
  const bytes = Buffer.from(text);
  const rotated = (value: number, by: number) => (value << by) | (value >>> (32 - by));
  const mixed = (value: number) => Math.imul(rotated(Math.imul(value, 0xcc9e2d51), 15), 0x1b873593);
  const whole = bytes.length - (bytes.length % 4);
  let hash = 0;
  for (let at = 0; at < whole; at += 4) {
    hash = Math.imul(rotated(hash ^ mixed(bytes.readInt32LE(at)), 13), 5) + 0xe6546b64;
  }
  let rest = 0;
  for (let at = bytes.length - 1; at >= whole; at--) rest = (rest << 8) | bytes[at]!;
  hash ^= mixed(rest) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
