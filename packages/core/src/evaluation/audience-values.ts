import type { AudienceValues } from './audience.ts';
import { smallSha256 } from './small-sha256.ts';

const ISO =
  /^(\d{4}-\d\d-\d\d)(T(([01]\d|2[0-3]):[0-5]\d)(:([0-5]\d)(\.(\d+))?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)?)?$/;
const VERSION =
  /^v?(0|[1-9]\d*)(\.(0|[1-9]\d*)(\.(0|[1-9]\d*))?)?(-(([\da-z-]+)(\.[\da-z-]+)*))?(\+[\da-z-]+(\.[\da-z-]+)*)?$/i;

export const isHashed: AudienceValues['isHashed'] = (operator, text, salt, hashes) => {
  if (operator === 'in') return hashes.includes(smallSha256(salt + text));
  // Many hashes are of parts with the same length.
  const known = new Map<string, string>();
  const hashOf = (part: string) => {
    if (!known.has(part)) known.set(part, smallSha256(salt + part));
    return known.get(part);
  };
  return hashes.some((expected) => {
    // The length of a part follows its hash.
    const [hash, length] = `${expected}`.split(':');
    const last = text.length - Number(length);
    const end = operator === 'startsWith' ? 0 : last;
    for (let start = operator === 'endsWith' ? last : 0; start <= end; start++)
      if (hashOf(text.slice(start, start + Number(length))) === hash) return true;
    return false;
  });
};

/** As the operators of flags: with a value of another kind the result is false. */
export const compare: AudienceValues['compare'] = (operator, given, bound) => {
  const parse = /^semver/.test(operator) ? version : /before|after/.test(operator) ? instant : decimal;
  const value = parse(given);
  const limit = parse(bound)!;
  if (value === undefined || Array.isArray(given)) return false;
  return (value < limit ? /less|before/i : value > limit ? /greater|after/i : /equal/i).test(operator);
};

const decimal = (value: unknown): number | undefined =>
  /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value as string) ? Number(value) : undefined;

/** Unix milliseconds, as `parseInstant`. */
function instant(value: unknown): number | undefined {
  const parts = ISO.exec(value as string);
  if (!parts) return decimal(value);
  const [, date, , minutes = '00:00', , , seconds = '00', , fraction = '', zone = 'Z'] = parts;
  // Some engines move 30 February into March.
  if (!new Date(date!).toJSON()?.startsWith(date!)) return undefined;
  return Date.parse(`${date}T${minutes}:${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`);
}

/** A text that sorts like the version, as `compareSemver`. */
function version(value: unknown): string | undefined {
  const parts = typeof value === 'string' && VERSION.exec(value);
  if (!parts || /(^|\.)0\d+(\.|$)/.test(parts[7] ?? '')) return undefined;
  // Longer numbers are larger.
  const numberKey = (digits = '0') => String.fromCharCode(digits.length) + digits;
  const [, major, , minor, , patch, , prerelease] = parts;
  const suffix = prerelease
    ?.split('.')
    .map((part) => (/^\d+$/.test(part) ? ` ${numberKey(part)}` : `!${part} `))
    .join('');
  // A release comes after its pre-releases.
  return numberKey(major) + numberKey(minor) + numberKey(patch) + (suffix ?? '~');
}
