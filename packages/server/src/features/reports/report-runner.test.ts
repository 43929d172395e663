import { MessageChannel, Worker } from 'node:worker_threads';
import { settled } from '@switchyard/testing/time/wait';
import { afterEach, describe, expect, it } from 'vitest';
import type { ReportRequest } from './report-request.ts';
import { ReportRunner, type ReportRunnerOptions } from './report-runner.ts';

/** Instead of computing a report, this thread does what the request type says. */
const THREAD = `
  import { parentPort } from 'node:worker_threads';
  const actions = {
    hang() { for (;;); },
    wait() {},
    throw() { setImmediate(() => { throw new Error('thrown'); }); },
    exit() { process.exit(3); },
    fill() { for (const all = []; ; ) all.push(new Array(100_000).fill({})); },
    fail(id) { settle(id, { error: { name: 'Error', message: 'no such table', code: 'SOME_CODE' } }); },
    respond(id) { settle(id, { value: { contentType: 'text/plain', body: new TextEncoder().encode('done') } }); },
  };
  const settle = (id, outcome) => parentPort.postMessage({ type: 'result', id, ...outcome });
  parentPort.on('message', ({ type, id, args }) => {
    if (type === 'cancel') actions.fail(id);
    else actions[args[0].type](id);
  });`;

let runner: ReportRunner;
afterEach(() => runner.close());

function start(options: Partial<ReportRunnerOptions> = {}): string[] {
  const logged: string[] = [];
  runner = new ReportRunner({
    startThread: (it) => new Worker(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`), it),
    connect: () => new MessageChannel().port2,
    changes: () => 0,
    log: (message) => logged.push(message),
    ...options,
  });
  return logged;
}

const run = (type: string) => settled(type, runner.run({ type } as unknown as ReportRequest));
const respond = async () => Buffer.from((await run('respond')).body).toString();

const OVERLOADED = { code: 'overloaded', status: 503, headers: { 'retry-after': '5' } };

describe('the report thread', () => {
  it.each([
    ['hang', { timeoutMs: 2000 }, /timed out/],
    ['wait', { timeoutMs: 2000 }, /timed out/],
    ['throw', {}, /thrown/],
    ['exit', {}, /exited/],
    ['fill', { maxMemoryMb: 16 }, /memory/],
  ])('is replaced after: %s', async (type, options, reason) => {
    const logged = start(options);
    await expect(run(type)).rejects.toMatchObject(OVERLOADED);
    expect(logged).toEqual([expect.stringMatching(reason)]);
    await expect.poll(() => respond().catch(() => undefined)).toBe('done');
  });

  it('makes room for others when a report is cancelled', async () => {
    start();
    const controllers = Array.from({ length: 5 }, () => new AbortController());
    const cancelled = controllers.map(({ signal }) =>
      runner.run({ type: 'wait' } as unknown as ReportRequest, signal),
    );
    const next = respond();
    for (const controller of controllers) controller.abort();
    for (const report of cancelled) await expect(report).rejects.toMatchObject({ code: 'overloaded' });
    expect(await next).toBe('done');
    const late = runner.run({ type: 'wait' } as unknown as ReportRequest, AbortSignal.abort());
    await expect(late).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('reports an error and continues', async () => {
    const logged = start();
    await expect(run('fail')).rejects.toMatchObject({ message: 'no such table', code: 'SOME_CODE' });
    expect(await respond()).toBe('done');
    expect(logged).toEqual([]);
  });

  it('rejects reports when its queue is full', async () => {
    start();
    const reports = Array.from({ length: 100 }, () => run('wait').catch((error) => error.code));
    const refused = await Promise.race(reports);
    expect(refused).toBe('overloaded');
    await runner.close();
    expect(new Set(await Promise.all(reports))).toEqual(new Set(['overloaded']));
  });

  it('can be released, and is started again by the next report', async () => {
    let started = 0;
    const connect = () => {
      started++;
      return new MessageChannel().port2;
    };
    start({ connect });
    expect(await respond()).toBe('done');
    expect(await respond()).toBe('done');
    expect(started).toBe(1);
    await runner.release();
    expect(await respond()).toBe('done');
    expect(started).toBe(2);
    await runner.close();
    await expect(respond()).rejects.toMatchObject(OVERLOADED);
  });

  it('runs waiting reports after it was replaced', async () => {
    start();
    const running = ['wait', 'wait', 'wait', 'exit'].map((type) => run(type).catch((error) => error.code));
    const waiting = respond();
    expect(await Promise.all(running)).toEqual(Array(4).fill('overloaded'));
    expect(await waiting).toBe('done');
  });
});
