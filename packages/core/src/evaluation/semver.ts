/** A bigint beyond the safe integers; numbers and bigints can be compared. */
type VersionNumber = number | bigint;

export interface Semver {
  readonly major: VersionNumber;
  readonly minor: VersionNumber;
  readonly patch: VersionNumber;
  readonly prerelease: readonly string[];
}

const NUMBER = '(0|[1-9]\\d*)';
const PATTERN = new RegExp(
  `^v?${NUMBER}(?:\\.${NUMBER}(?:\\.${NUMBER})?)?(?:-([\\da-z-]+(?:\\.[\\da-z-]+)*))?(?:\\+[\\da-z-]+(?:\\.[\\da-z-]+)*)?$`,
  'i',
);
const DIGITS = /^\d+$/;

/**
 * Parses a version (Semantic Versioning 2.0.0); a leading `v` and missing minor and patch are allowed. Numbers are
 * not versions, because 1.10 is the number 1.1.
 *
 * @example parseSemver('v1.2-rc.1') // 1.2.0-rc.1
 */
export function parseSemver(value: unknown): Semver | undefined {
  if (typeof value !== 'string') return undefined;
  // Many rules compare the same version, so the last result is cached.
  if (value !== lastText) {
    lastVersion = parse(value);
    lastText = value;
  }
  return lastVersion;
}

let lastText: string | undefined;
let lastVersion: Semver | undefined;

function parse(text: string): Semver | undefined {
  const parts = PATTERN.exec(text);
  if (!parts) return undefined;
  const prerelease = parts[4]?.split('.') ?? [];
  if (prerelease.some((part) => part.length > 1 && part.startsWith('0') && DIGITS.test(part)))
    return undefined;
  return { major: numberOf(parts[1]), minor: numberOf(parts[2]), patch: numberOf(parts[3]), prerelease };
}

const MAX_SAFE_DIGITS = 15;

const numberOf = (digits = '0'): VersionNumber =>
  digits.length > MAX_SAFE_DIGITS ? BigInt(digits) : Number(digits);

/** Precedence of Semantic Versioning 2.0.0, section 11: negative, 0 or positive. */
export function compareSemver(a: Semver, b: Semver): number {
  if (a.major !== b.major) return a.major < b.major ? -1 : 1;
  if (a.minor !== b.minor) return a.minor < b.minor ? -1 : 1;
  if (a.patch !== b.patch) return a.patch < b.patch ? -1 : 1;
  // A release comes after its pre-releases.
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return b.prerelease.length - a.prerelease.length;
  return compareParts(a.prerelease, b.prerelease);
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = comparePart(a[i] as string, b[i] as string);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function comparePart(a: string, b: string): number {
  if (a === b) return 0;
  const numeric = DIGITS.test(a);
  if (numeric !== DIGITS.test(b)) return numeric ? -1 : 1;
  // There are no leading zeros, so the longer number is larger.
  if (numeric && a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}
