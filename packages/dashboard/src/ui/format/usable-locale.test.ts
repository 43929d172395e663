import { expect, test } from 'vitest';
import { usableLocale } from './usable-locale.ts';

test.for([
  ['de-AT', 'de-AT'],
  ['en-US@posix', undefined],
  ['', undefined],
] as const)('%s is %s', ([name, locale]) => {
  expect(usableLocale(name)).toBe(locale);
});
