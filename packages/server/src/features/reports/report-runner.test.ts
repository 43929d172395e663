import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { settled } from '../../testing/wait.ts';
import type { ReportRequest } from './report-request.ts';
import { ReportRunner, type ReportRunnerOptions } from './report-runner.ts';

/** A thread that does what it is told, in place of computing a report. */
const THREAD = `
  import { parentPort } from 'node:worker_threads';
  const does = {
    hang() { for (;;); },
    wait() {},
    throw() { setImmediate(() => { throw new Error('thrown'); }); },
    exit() { process.exit(3); },
    fill() { for (const all = []; ; ) all.push(new Array(100_000).fill({})); },
    fail(id) { parentPort.postMessage({ id, error: { message: 'no such table', code: 'SOME_CODE' } }); },
    answer(id) { parentPort.postMessage({ id, contentType: 'text/plain', body: new TextEncoder().encode('done') }); },
  };
  parentPort.on('message', ({ id, request }) => does[request.type](id));`;

let runner: ReportRunner;
afterEach(() => runner.close());

function start(options: Partial<ReportRunnerOptions> = {}): string[] {
  const logged: string[] = [];
  runner = new ReportRunner({
    script: new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`),
    connect: () => new MessageChannel().port2,
    changes: () => 0,
    log: (message) => logged.push(message),
    ...options,
  });
  return logged;
}

const run = (type: string) => settled(type, runner.run({ type } as unknown as ReportRequest));
const answered = async () => Buffer.from((await run('answer')).body).toString();

const OVERLOADED = { code: 'overloaded', status: 503, headers: { 'retry-after': '5' } };

describe('the report thread', () => {
  it.each([
    ['hang', { timeoutMs: 2000 }, /took too long/],
    ['wait', { timeoutMs: 2000 }, /took too long/],
    ['throw', {}, /thrown/],
    ['exit', {}, /ended/],
    ['fill', { maxMemoryMb: 16 }, /memory/],
  ])('is replaced when it does this: %s', async (type, options, reason) => {
    const logged = start(options);
    await expect(run(type)).rejects.toMatchObject(OVERLOADED);
    expect(logged).toEqual([expect.stringMatching(reason)]);
    // However long a start takes on a busy machine.
    await expect.poll(() => answered().catch(() => undefined), { timeout: 60_000 }).toBe('done');
  });

  it('tells of an error, and goes on', async () => {
    const logged = start();
    await expect(run('fail')).rejects.toMatchObject({ message: 'no such table', code: 'SOME_CODE' });
    expect(await answered()).toBe('done');
    expect(logged).toEqual([]);
  });

  it('has so many reports to do at most', async () => {
    start();
    const given = Array.from({ length: 100 }, () => run('wait').catch((error) => error.code));
    const refused = await Promise.race(given);
    expect(refused).toBe('overloaded');
    await runner.close();
    expect(new Set(await Promise.all(given))).toEqual(new Set(['overloaded']));
  });

  it('is given those that wait when it is replaced', async () => {
    start();
    const running = ['wait', 'wait', 'wait', 'exit'].map((type) => run(type).catch((error) => error.code));
    const waiting = answered();
    expect(await Promise.all(running)).toEqual(Array(4).fill('overloaded'));
    expect(await waiting).toBe('done');
  });
});
