import { expect, it } from 'vitest';
import { nextStatuses, type SplitTestStatus } from './status.ts';

it.each<[SplitTestStatus, SplitTestStatus[]]>([
  ['draft', ['running', 'archived']],
  ['running', ['paused', 'stopped']],
  ['paused', ['running', 'stopped']],
  ['stopped', ['archived']],
  ['archived', []],
])('a test that is %s can become %j', (status, next) => {
  expect(nextStatuses(status)).toEqual(next);
});
