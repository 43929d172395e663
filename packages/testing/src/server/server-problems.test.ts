import { waitFor } from '@switchyard/testing/time/wait';
import { expect, onTestFinished, test } from 'vitest';
import { takeProblems } from './server-problems.ts';
import { discard, startServer } from './test-server.ts';

async function start(program: string) {
  takeProblems();
  const ready = `console.log('{"level":"info","msg":"listening on http://127.0.0.1:9"}');`;
  const server = await startServer({ wrap: ([node]) => [node!, '-e', `${program} ${ready}`] });
  onTestFinished(() => discard(server));
  return server;
}

test('the last warnings and errors of servers are kept for the test that fails', async () => {
  const server = await start(
    `for (let request = 1; request <= 30; request++) console.log('{"level":"error","reqId":"' + request + '"}');`,
  );
  const problems = takeProblems();
  expect(problems).toHaveLength(20);
  expect(problems.at(-1)).toBe(`server ${server.process.pid}: {"level":"error","reqId":"30"}`);
  expect(takeProblems()).toEqual([]);
});

test('what a server says outside its log is kept, too', async () => {
  const server = await start("console.error('out of paper');");
  await waitFor('its output', () => server.stderr.length === 1);
  expect(takeProblems()).toEqual([`server ${server.process.pid}: out of paper`]);
});
