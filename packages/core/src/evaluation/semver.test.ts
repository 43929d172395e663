import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareSemver, parseSemver, type Semver } from './semver.ts';

const SEED = 1729;

describe(`semver properties (seed ${SEED})`, () => {
  const part = fc.nat({ max: 12 });
  const identifier = fc.oneof(part.map(String), fc.constantFrom('alpha', 'beta', 'rc', 'x-1', '-'));
  const version = fc
    .tuple(part, part, part, fc.array(identifier, { maxLength: 3 }))
    .map(([a, b, c, pre]) => `${a}.${b}.${c}${pre.length > 0 ? `-${pre.join('.')}` : ''}`);
  const parsed = version.map((text) => parseSemver(text) as Semver);

  it('is a total order', () => {
    fc.assert(
      fc.property(fc.array(parsed, { minLength: 3, maxLength: 3 }), (versions) => {
        const [a, b, c] = versions.toSorted(compareSemver) as [Semver, Semver, Semver];
        expect(compareSemver(a, c)).toBeLessThanOrEqual(0);
        expect(Math.sign(compareSemver(b, a))).toBe(0 - Math.sign(compareSemver(a, b)));
      }),
      { seed: SEED },
    );
  });

  it('ignores build metadata', () => {
    fc.assert(
      fc.property(version, version, (a, b) => {
        const order = compareSemver(parseSemver(`v${a}+build.01`) as Semver, parseSemver(b) as Semver);
        expect(order === 0).toBe(a === b);
      }),
      { seed: SEED },
    );
  });

  it('has the order of section 11 of the specification', () => {
    const ascending = ['0.9.10', '0.10.9', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta'];
    ascending.push('1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.1', '2.0.0', '11.0.0');
    const versions = ascending.map((text) => parseSemver(text) as Semver);
    for (const [i, lower] of versions.entries()) {
      for (const higher of versions.slice(i + 1)) expect(compareSemver(lower, higher)).toBeLessThan(0);
    }
  });

  it.each([
    '',
    'v',
    '1.',
    '1..2',
    '1.2.3.4',
    '01',
    '1.2.3-',
    '1.2.3-a..b',
    '1.2.3+',
    ' 1.2.3',
    '1.2.3\n',
    '-1',
    'vv1',
    '1.x',
  ])('rejects %j', (text) => expect(parseSemver(text)).toBeUndefined());

  it('rejects a long text without backtracking', () => {
    expect(parseSemver(`1.2.3-${'a.'.repeat(50_000)}!`)).toBeUndefined();
  });
});

describe('compareSemver', () => {
  const ascending = [
    ...['0.9.9', '1.0.0-0', '1.0.0-9', '1.0.0-11', '1.0.0-12', '1.0.0-100'],
    ...[
      '1.0.0--',
      '1.0.0--a',
      '1.0.0-01a',
      '1.0.0-0a1',
      '1.0.0-RC',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.1.1',
    ],
    ...['1.0.0-alpha.11', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-z', '1.0.0', '1.0.1', '1.1.0', '1.10.0'],
    ...['2.0.0', '9007199254740992.0.0', '9007199254740993.0.0'],
  ];

  it('orders versions as Semantic Versioning does', () => {
    const versions = ascending.map((text) => parseSemver(text)!);
    for (const [i, low] of versions.entries()) {
      expect(compareSemver(low, low)).toBe(0);
      for (const [j, high] of versions.entries()) {
        if (j <= i) continue;
        const names = `${ascending[i]} and ${ascending[j]}`;
        expect([names, Math.sign(compareSemver(low, high))]).toEqual([names, -1]);
        expect([names, Math.sign(compareSemver(high, low))]).toEqual([names, 1]);
      }
    }
  });

  it.each(['V1.2.3-RC.1+BUILD', 'v1.2.3-RC.1'])('takes capital letters: %s', (text) => {
    expect(compareSemver(parseSemver(text)!, parseSemver('1.2.3-RC.1')!)).toBe(0);
  });
});
