import { expect, it } from 'vitest';
import { dueStep, scheduledStatus } from './schedule.ts';
import type { SplitTestStatus } from './status.ts';

const NOW = 1000;

it.each<[SplitTestStatus, number | null, number | null, SplitTestStatus]>([
  ['draft', null, null, 'draft'],
  ['draft', 1001, null, 'draft'],
  ['draft', 1000, null, 'running'],
  ['draft', 500, 1001, 'running'],
  ['draft', 500, 1000, 'stopped'],
  ['draft', null, 500, 'draft'],
  ['running', 500, null, 'running'],
  ['running', null, 1001, 'running'],
  ['running', null, 1000, 'stopped'],
  ['paused', 500, 1000, 'stopped'],
  ['paused', 500, null, 'paused'],
  ['stopped', 1, 2, 'stopped'],
  ['archived', 1, 2, 'archived'],
])('%s, from %s to %s, becomes %s', (status, startAt, stopAt, expected) => {
  expect(scheduledStatus({ status, startAt, stopAt }, NOW)).toBe(expected);
});

it('a step has its scheduled time', () => {
  expect(dueStep({ status: 'draft', startAt: 500, stopAt: 700 }, NOW)).toEqual({
    status: 'running',
    at: 500,
  });
  expect(dueStep({ status: 'paused', startAt: 500, stopAt: 700 }, NOW)).toEqual({
    status: 'stopped',
    at: 700,
  });
});
