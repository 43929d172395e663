import { installInCi } from '@switchyard/testing/programs/apt';
import { canTrace } from './strace.ts';

/** Runs once before all tests. */
export function setup(): void {
  if (!canTrace()) installInCi('strace', 'strace', 'power failures');
}
