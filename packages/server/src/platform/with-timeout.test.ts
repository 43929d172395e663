import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withTimeout } from './with-timeout.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const late = () => 'late';

test('a promise that settles in time gives its outcome, and leaves no timer', async () => {
  expect(await withTimeout(Promise.resolve('done'), 100, late)).toBe('done');
  await expect(withTimeout(Promise.reject(new Error('failed')), 100, late)).rejects.toThrow('failed');
  expect(vi.getTimerCount()).toBe(0);
});

test('after the time, its outcome no longer matters', async () => {
  let fail = (_: Error) => {};
  const slow = new Promise<string>((_, reject) => {
    fail = reject;
  });
  const result = withTimeout(slow, 100, late);
  await vi.advanceTimersByTimeAsync(99);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await result).toBe('late');
  fail(new Error('too late to be noticed'));
});

test('a timeout can be an error', async () => {
  const refuse = () => {
    throw new Error('took too long');
  };
  const result = withTimeout(new Promise(() => {}), 100, refuse).catch((error: Error) => error.message);
  await vi.advanceTimersByTimeAsync(100);
  expect(await result).toBe('took too long');
});
