import { expect, test } from 'vitest';
import { prettyLine } from './pretty-line.ts';

const pretty = (fields: object) =>
  prettyLine(JSON.stringify({ level: 'info', time: '2026-01-02T03:04:05.678Z', ...fields }), false);

test('a line has the time, the level, the message and the fields', () => {
  const line = pretty({ reqId: 'a-1', status: 200, name: 'two words', msg: 'request' });
  expect(line).toMatch(/^\d\d:\d\d:05 info {2}request {2}reqId=a-1 {2}status=200 {2}name="two words"\n$/);
});

test('an error is followed by its stack', () => {
  const err = { type: 'Error', message: 'broken', stack: 'Error: broken\n    at here' };
  expect(pretty({ level: 'error', err, msg: 'failed' })).toMatch(
    / error failed\n {2}Error: broken\n {6}at here\n$/,
  );
});

test('text from outside cannot control the terminal', () => {
  const hostile = '\u001b[2J\u009b';
  expect(pretty({ path: hostile, msg: hostile })).toMatch(/ \\u001b\[2J\S+ {2}path=\\u001b\[2J\S+\n$/);
});

test('colors are only used where they are supported', () => {
  const json = JSON.stringify({ level: 'warn', time: '2026-01-02T03:04:05.678Z', msg: 'slow' });
  expect(prettyLine(json, false)).not.toContain('\u001b');
  expect(prettyLine(json, true)).toContain('\u001b');
});
