import { expect, test } from 'vitest';
import { checkWebhook } from './webhook-rules.ts';

function problemsOf(fields: { url?: string; events?: string[] }, allowPrivate = false): string[] {
  const problems: string[] = [];
  const candidate = { url: 'https://shop.example/hook', events: ['feedback.submitted'], ...fields };
  checkWebhook(candidate, { allowPrivate }, (pointer, message) => problems.push(`${pointer} ${message}`));
  return problems;
}

test('accepts http and https, any port, and any combination of events', () => {
  expect(problemsOf({})).toEqual([]);
  expect(
    problemsOf({ url: 'http://shop.example:9000/a?b=c', events: ['verdict.changed', 'test.unhealthy'] }),
  ).toEqual([]);
});

test.each([
  ['shop.example', /must be a URL/],
  ['ftp://shop.example', /must start with https/],
  ['javascript:alert(1)', /must start with https/],
  ['https://user:secret@shop.example', /must not contain a user name/],
  [`https://shop.example/${'x'.repeat(2048)}`, /at most 2048/],
])('refuses the URL %s', (url, message) => {
  const problems = problemsOf({ url });
  expect(problems[0]).toMatch(message);
  expect(problems.join()).not.toContain('secret');
});

test.each([
  'http://127.0.0.1',
  'http://localhost:8080',
  'http://app.localhost.',
  'http://[::1]/',
  'http://10.0.0.8/',
])('refuses %s, unless private networks are allowed', (url) => {
  expect(problemsOf({ url })).toEqual([expect.stringMatching(/^\/url must not be an address/)]);
  expect(problemsOf({ url }, true)).toEqual([]);
});

test('names every wrong event', () => {
  expect(problemsOf({ events: [] })).toEqual(['/events must contain at least one event type']);
  const events = ['verdict.changed', 'nonsense', 'verdict.changed', 'webhook.test'];
  expect(problemsOf({ events }).map((problem) => problem.slice(0, 9))).toEqual([
    '/events/1',
    '/events/2',
    '/events/3',
  ]);
});
