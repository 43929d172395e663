import { expect, test } from 'vitest';
import { describeProgress, MoveProgress } from './move-progress.ts';

test('progress has a count, a share, a rate and the time that is left', () => {
  expect(describeProgress({ copied: 1200, share: 0.4 }, 2000)).toBe(
    '1,200 requests, 40%, 600 per second, 3 s left',
  );
  expect(describeProgress({ copied: 5, share: 0.001 }, 10_000)).toBe(
    '5 requests, 0%, 1 per second, 3 h left',
  );
  expect(describeProgress({ copied: 0, share: 0 }, 0)).toBe('0 requests, 0%, 0 per second');
});

test.each([
  { isTTY: true, expected: 'Copying …\n\r\u001B[KA\r\u001B[KB\nComparing …\n' },
  { isTTY: false, expected: 'Copying …\nB\nComparing …\n' },
])('on a terminal ($isTTY), one line changes', ({ isTTY, expected }) => {
  let text = '';
  const write = (part: string | Uint8Array) => {
    text += part;
    return true;
  };
  const progress = new MoveProgress({ isTTY: isTTY as true, write });
  progress.step('Copying');
  progress.update({ copied: 1, share: 0.5 });
  progress.update({ copied: 2, share: 1 });
  progress.step('Comparing');
  expect(text.replace(/1 requests[^\r\n]*/, 'A').replace(/2 requests[^\r\n]*/, 'B')).toBe(expected);
});
