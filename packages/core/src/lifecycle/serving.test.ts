import { expect, it } from 'vitest';
import { servingOf } from './serving.ts';
import type { SplitTestStatus } from './status.ts';

it.each<[SplitTestStatus, string | null, ReturnType<typeof servingOf>]>([
  ['running', null, 'assigned'],
  ['running', 'b', 'assigned'],
  ['stopped', 'b', 'winner'],
  ['stopped', null, 'nothing'],
  ['draft', 'b', 'nothing'],
  ['paused', 'b', 'nothing'],
  ['archived', 'b', 'nothing'],
])('a %s test with the winner %s serves: %s', (status, winner, serving) => {
  expect(servingOf({ status, winner })).toBe(serving);
});
