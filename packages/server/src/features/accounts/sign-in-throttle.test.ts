import { expect, it } from 'vitest';
import type { ApiError } from '../../errors.ts';
import { SignInThrottle } from './sign-in-throttle.ts';

const by = { email: 'ada@shop.example', address: '192.0.2.1' };

/** Seconds to wait; 0 if an attempt is allowed, which then counts as a failure. */
function fail(throttle: SignInThrottle, attempt: { email?: string; address: string } = by): number {
  try {
    throttle.begin(attempt);
    return 0;
  } catch (error) {
    return Number((error as ApiError).headers?.['retry-after']);
  }
}

it('allows ten failures per account, then doubles the wait up to 15 minutes', () => {
  let now = 1000;
  const throttle = new SignInThrottle(() => now);
  for (let failure = 0; failure < 10; failure++) expect(fail(throttle)).toBe(0);
  const waits: number[] = [];
  for (let round = 0; round < 12; round++) {
    const wait = fail(throttle);
    waits.push(wait);
    now += wait * 1000;
    expect(fail(throttle)).toBe(0);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  now += 61 * 60 * 1000;
  for (let failure = 0; failure < 10; failure++) expect(fail(throttle)).toBe(0);
});

it('counts an address over all accounts, and IPv6 by network', () => {
  const throttle = new SignInThrottle(() => 1000);
  for (let i = 0; i < 50; i++) {
    expect(fail(throttle, { email: `${i}@shop.example`, address: `2001:db8::${i + 1}` })).toBe(0);
  }
  expect(fail(throttle, { address: '2001:db8::ffff' })).toBe(1);
  expect(fail(throttle, { address: '2001:db8:0:1::1' })).toBe(0);
});

it('success forgets the failures of the account; an incomplete attempt only itself', () => {
  const throttle = new SignInThrottle(() => 1000);
  for (let failure = 0; failure < 9; failure++) fail(throttle);
  throttle.begin(by).incomplete();
  expect(fail(throttle)).toBe(0);
  expect(fail(throttle)).toBe(1);
  const other = new SignInThrottle(() => 1000);
  for (let failure = 0; failure < 9; failure++) fail(other);
  other.begin(by).succeeded();
  for (let failure = 0; failure < 10; failure++) expect(fail(other)).toBe(0);
});
