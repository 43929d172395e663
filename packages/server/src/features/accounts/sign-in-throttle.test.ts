import { expect, it } from 'vitest';
import type { ApiError } from '../../platform/errors/errors.ts';
import { type AttemptBy, SignInThrottle } from './sign-in-throttle.ts';

const by = { email: 'ada@shop.example', address: '192.0.2.1' };

/** Seconds to wait; 0 if an attempt is allowed, which then counts as a failure. */
function fail(throttle: SignInThrottle, attempt: AttemptBy = by): number {
  try {
    throttle.begin(attempt);
    return 0;
  } catch (error) {
    return Number((error as ApiError).headers?.['retry-after']);
  }
}

it('allows ten failures per account and address, then doubles the wait up to 15 minutes', () => {
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

it('an own account does not help to guess the passwords of others', () => {
  const throttle = new SignInThrottle(() => 1000);
  for (let i = 0; i < 50; i++) {
    expect(fail(throttle, { ...by, email: `${i}@shop.example` })).toBe(0);
    if (i < 49) throttle.begin({ ...by, email: 'eve@shop.example' }).succeeded();
  }
  expect(fail(throttle, { ...by, email: 'another@shop.example' })).toBe(1);
});

it('success forgets the failures at the account; an incomplete attempt only itself', () => {
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

it('the guesses of a stranger do not stop the owner', () => {
  const throttle = new SignInThrottle(() => 1000);
  const stranger = { ...by, address: '203.0.113.9' };
  while (fail(throttle, stranger) === 0);
  expect(fail(throttle)).toBe(0);
  throttle.begin(by).succeeded();
});

it('guesses from many addresses stop, but not for an address that has signed in before', () => {
  const throttle = new SignInThrottle(() => 1000);
  throttle.begin(by).succeeded();
  for (let i = 0; i < 100; i++) expect(fail(throttle, { ...by, address: `203.0.113.${i}` })).toBe(0);
  expect(fail(throttle, { ...by, address: '198.51.100.1' })).toBe(1);
  expect(fail(throttle)).toBe(0);
  expect(fail(throttle, { email: 'bob@shop.example', address: '198.51.100.1' })).toBe(0);
});

it('someone who is signed in is only slowed down by their own failures', () => {
  const throttle = new SignInThrottle(() => 1000);
  while (fail(throttle) === 0);
  for (let failure = 0; failure < 10; failure++) expect(fail(throttle, { signedIn: 'acc_1' })).toBe(0);
  expect(fail(throttle, { signedIn: 'acc_1' })).toBe(1);
  expect(fail(throttle, { signedIn: 'acc_2' })).toBe(0);
});
