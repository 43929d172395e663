import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { ApiError } from '../errors/errors.ts';
import { StorageError } from '../errors/storage-error.ts';
import { byMethod, type CallMessage, type Handlers, RemoteCalls } from './remote-calls.ts';
import { remoteMethods } from './remote-methods.ts';

interface Methods {
  double(value: number): number;
  wait(name: string): string;
  fail(error: 'api' | 'storage' | 'text'): void;
  bytes(length: number): Uint8Array;
  uncopyable(): unknown;
  join(first: string, second?: string): string;
}

/** The same as an object. */
interface Port {
  wait(name: string, signal?: AbortSignal): Promise<string>;
  join(first: string, second?: string, signal?: AbortSignal): Promise<string>;
}

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** Two threads that share one event loop. */
function connect(handlers: Partial<Handlers<Methods>>) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const sent: CallMessage[] = [];
  const calls = new RemoteCalls<Methods>((message) => {
    sent.push(message);
    port1.postMessage(message);
  });
  const answering = new RemoteCalls<Record<string, never>>(
    (message, transferred) => port2.postMessage(message, transferred),
    byMethod<Methods>(handlers as Handlers<Methods>),
  );
  const received: CallMessage[] = [];
  port1.on('message', (message: CallMessage) => {
    received.push(message);
    calls.receive(message);
  });
  port2.on('message', (message: CallMessage) => answering.receive(message));
  return { calls, answering, sent, received };
}

/** Answers of `wait` that come when the test says so. */
function waiting() {
  const finish = new Map<string, () => void>();
  const signals = new Map<string, AbortSignal>();
  const wait: Handlers<Methods>['wait'] = ([name], { signal }) =>
    new Promise((resolve, reject) => {
      finish.set(name, () => resolve(name));
      signals.set(name, signal);
      signal.addEventListener('abort', () => reject(new Error(`${name} was cancelled`)));
    });
  return { finish, signals, wait };
}

test('calls run concurrently, and each gets its own result', async () => {
  const { finish, wait } = waiting();
  const { calls } = connect({ wait, double: ([value]) => 2 * value });
  const results = ['a', 'b', 'c'].map((name) => calls.call('wait', [name]));
  expect(await calls.call('double', [21])).toBe(42);
  for (const name of ['c', 'a', 'b']) finish.get(name)!();
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c']);
});

test('a signal cancels only its own call, which keeps running until the other side has ended it', async () => {
  const { finish, wait } = waiting();
  const { calls } = connect({ wait });
  const controller = new AbortController();
  const cancelled = calls.call('wait', ['a'], { signal: controller.signal });
  const other = calls.call('wait', ['b'], { signal: new AbortController().signal });
  await expect.poll(() => finish.size).toBe(2);
  controller.abort();
  await expect(cancelled).rejects.toThrow('a was cancelled');
  finish.get('b')!();
  expect(await other).toBe('b');
});

test('a signal that was aborted before cancels the call, and one that is aborted after the result does nothing', async () => {
  const { wait } = waiting();
  const { calls, sent } = connect({ wait, double: ([value]) => 2 * value });
  await expect(calls.call('wait', ['a'], { signal: AbortSignal.abort() })).rejects.toThrow('a was cancelled');
  const controller = new AbortController();
  expect(await calls.call('double', [1], { signal: controller.signal })).toBe(2);
  sent.length = 0;
  controller.abort();
  expect(sent).toEqual([]);
});

test('errors arrive with message, code, stack and what their response needs', async () => {
  const { calls } = connect({
    fail: ([kind]) => {
      if (kind === 'text') throw 'only text';
      if (kind === 'storage') throw new StorageError('STORE_DAMAGED', 'damaged');
      const fields = [{ pointer: '/name', code: 'invalid_request', detail: 'is missing' }];
      throw new ApiError('overloaded', { message: 'Later.', headers: { 'retry-after': '5' }, fields });
    },
  });
  const api = await calls.call('fail', ['api']).catch((error: unknown) => error);
  expect(api).toBeInstanceOf(ApiError);
  expect(api).toMatchObject({
    code: 'overloaded',
    status: 503,
    message: 'Later.',
    headers: { 'retry-after': '5' },
    fields: [{ pointer: '/name' }],
    stack: expect.stringContaining('fail'),
  });
  const storage = await calls.call('fail', ['storage']).catch((error: unknown) => error);
  expect(storage).toBeInstanceOf(Error);
  expect(storage).toMatchObject({
    name: 'StorageError',
    code: 'STORE_DAMAGED',
    message: 'damaged',
    stack: expect.stringContaining('fail'),
  });
  await expect(calls.call('fail', ['text'])).rejects.toThrow('only text');
});

test('a result that cannot be copied and a method that nobody answers reject', async () => {
  const { calls } = connect({ uncopyable: () => () => {} });
  await expect(calls.call('uncopyable', [])).rejects.toThrow(/could not be cloned/);
  await expect(calls.call('double', [1])).rejects.toThrow();
  await expect(calls.call('double', [(() => {}) as never])).rejects.toThrow(/could not be cloned/);
});

test('when the channel fails, pending and later calls reject, and what ran for it is aborted', async () => {
  const { signals, wait } = waiting();
  const { calls, answering, sent } = connect({ wait });
  const pending = ['a', 'b'].map((name) => calls.call('wait', [name]));
  await expect.poll(() => signals.size).toBe(2);
  calls.fail(new Error('gone'));
  for (const call of pending) await expect(call).rejects.toThrow('gone');
  sent.length = 0;
  await expect(calls.call('double', [1])).rejects.toThrow('gone');
  calls.notify('double', [1]);
  expect(sent).toEqual([]);
  answering.fail(new Error('gone'));
  expect([...signals.values()].map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('parts of a result can move instead of being copied', async () => {
  const made: Uint8Array[] = [];
  const { calls } = connect({
    bytes: ([length], call) => {
      const bytes = new Uint8Array(length);
      made.push(bytes);
      call.transferred = [bytes.buffer];
      return bytes;
    },
  });
  expect(await calls.call('bytes', [1000])).toHaveLength(1000);
  expect(made[0]).toHaveLength(0);
});

test('a notification is not answered, not even if it fails', async () => {
  const seen: number[] = [];
  const { calls, received } = connect({
    double: ([value]) => {
      seen.push(value);
      throw new Error('ignored');
    },
    join: (words) => words.join(),
  });
  calls.notify('double', [7]);
  expect(await calls.call('join', ['a', 'b'])).toBe('a,b');
  expect(seen).toEqual([7]);
  expect(received).toMatchObject([{ type: 'result', value: 'a,b' }]);
});

test('the trace of a call arrives with it', async () => {
  const traces: unknown[] = [];
  const { calls } = connect({
    double: ([value], { trace }) => {
      traces.push(trace);
      return value;
    },
  });
  await calls.call('double', [1], { trace: '00-aa-bb-01' });
  await calls.call('double', [1]);
  expect(traces).toEqual(['00-aa-bb-01', undefined]);
});

test('remote methods take a signal after their arguments, also after those that were omitted', async () => {
  const joined: unknown[][] = [];
  const { finish, wait } = waiting();
  const { calls } = connect({
    wait,
    join: (args) => {
      joined.push([...args]);
      return args.join();
    },
  });
  const remote = remoteMethods<Port>((method, args, signal) => calls.call(method, args as never, { signal }));
  const { signal } = new AbortController();
  expect(await (remote.join as (...args: unknown[]) => unknown)('a', signal)).toBe('a');
  expect(await remote.join('a', 'b')).toBe('a,b');
  expect(joined).toEqual([['a'], ['a', 'b']]);
  const controller = new AbortController();
  const cancelled = remote.wait('c', controller.signal);
  await expect.poll(() => finish.size).toBe(1);
  controller.abort();
  await expect(cancelled).rejects.toThrow('c was cancelled');
  expect(await Promise.resolve(remote)).toBe(remote);
});
