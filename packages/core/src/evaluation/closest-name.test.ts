import { describe, expect, it } from 'vitest';
import { closestName, unknownName } from './closest-name.ts';

describe('closestName', () => {
  it.each([
    ['signup', 'exact'],
    ['SignUp', 'other case'],
    ['signnup', 'one more letter'],
    ['sinup', 'one letter less'],
    ['sugnup', 'another letter'],
    ['isgnup', 'two letters swapped'],
    ['sign', 'two letters less, at the end'],
    ['gnup', 'two letters less, at the start'],
    ['signup-2', 'two letters more, at the end'],
    ['a-signup', 'two letters more, at the start'],
    ['sxgnxp', 'two other letters'],
  ])('of %s is signup (%s)', (name) => {
    expect(closestName(name, ['purchase', 'signup'])).toBe('signup');
    expect(closestName(name, ['purchase', 'SIGNUP'])).toBe('SIGNUP');
  });

  it.each(['sig', 'signup-22', 'sxgxxp', 'xxgnxp', 'xxxgnup', 'pungis', 'login', ''])(
    'of %j is not signup: three letters differ',
    (name) => {
      expect(closestName(name, ['signup'])).toBeUndefined();
    },
  );

  it('of a short name is none that only has a letter in common', () => {
    expect(closestName('xyzc', ['cab'])).toBeUndefined();
  });

  it('of an empty name is a known one of two letters', () => {
    expect(closestName('', ['abc', 'ab'])).toBe('ab');
    expect(closestName('ab', ['', 'x'])).toBe('');
  });

  it('is the first that is close', () => {
    expect(closestName('goal', ['gold', 'goal'])).toBe('gold');
    expect(closestName('goal', [])).toBeUndefined();
  });

  it('is looked for among the first 1000 names', () => {
    const others = Array.from({ length: 999 }, (_, index) => `other-name-${index}`);
    expect(closestName('signup', [...others, 'signup'])).toBe('signup');
    expect(closestName('signup', [...others, 'one-more', 'signup'])).toBeUndefined();
  });
});

describe('unknownName', () => {
  it('ends a sentence, with the name that was meant if there is one', () => {
    expect(unknownName('signnup', ['signup'])).toBe(' "signnup"; did you mean "signup"?');
    expect(unknownName('signnup', ['purchase'])).toBe(' "signnup".');
  });
});
