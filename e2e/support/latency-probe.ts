import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { PUBLIC_KEY, SECRET_KEY } from '../../packages/server/src/testing/sample-property.ts';
import type { TestServer } from '../../packages/server/src/testing/test-server.ts';

/** The probe of `bench/hostile.js`. */
const SCRIPT = fileURLToPath(new URL('../../bench/lib/latency-probe-process.js', import.meta.url));
const EVERY_MS = 10;
/** A machine that is busy with something else holds up anybody for a moment: what counts happens every time. */
const ATTEMPTS = 3;
/** An attack that is over this soon has held up nobody. */
const SHORT_MS = 300;

interface Latencies {
  name: string;
  responses: number;
  failures: number;
  worst: number;
}

/** What others do meanwhile: look whether the server lives, fetch the configuration, store a conversion. */
function otherRequests({ url }: TestServer) {
  return [
    { name: 'healthz', url: `${url}/healthz`, everyMs: EVERY_MS },
    {
      name: 'config',
      url: `${url}/v1/split-testing/config?propertyId=shop`,
      headers: { 'x-api-key': PUBLIC_KEY },
      everyMs: EVERY_MS,
    },
    {
      name: 'increment',
      url: `${url}/v1/goals/increment`,
      method: 'POST',
      headers: { 'x-api-key': SECRET_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ propertyId: 'shop', goalId: 'signup', sessionId: 'probe' }),
      everyMs: EVERY_MS,
    },
  ];
}

/** Other clients of a server, in a process of their own, and how long they wait for their answers. */
export class LatencyProbe {
  readonly #child: ChildProcess = fork(SCRIPT, { execArgv: [] });

  static async start(server: TestServer): Promise<LatencyProbe> {
    const probe = new LatencyProbe();
    await probe.#order('start', otherRequests(server));
    await probe.#order('reset');
    return probe;
  }

  async #order(...message: unknown[]): Promise<unknown> {
    const answer = once(this.#child, 'message');
    this.#child.send(message);
    return (await answer)[0];
  }

  /** The longest waits since the start, in milliseconds, by the name of the request; ends the probe. */
  async stop(): Promise<Record<'healthz' | 'config' | 'increment', number>> {
    const measured = (await this.#order('report')) as Latencies[];
    this.#child.disconnect();
    expect(measured.filter(({ failures }) => failures > 0)).toEqual([]);
    return Object.fromEntries(measured.map(({ name, worst }) => [name, worst])) as never;
  }
}

/**
 * Runs an attack while others use the server: none of them may wait for half of the time that it takes. Work on the
 * serving thread makes them wait for nearly all of it, in each attempt.
 */
export async function expectOthersServed(server: TestServer, attack: () => Promise<unknown>): Promise<void> {
  const attempts: { tookMs: number; worstMs: number }[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const probe = await LatencyProbe.start(server);
    const startedAt = performance.now();
    await attack();
    const tookMs = performance.now() - startedAt;
    const { healthz, config } = await probe.stop();
    const worstMs = Math.max(healthz, config);
    if (tookMs < SHORT_MS || worstMs < tookMs / 2) return;
    attempts.push({ tookMs, worstMs });
  }
  expect.fail(`Others waited for most of the attack: ${JSON.stringify(attempts)}`);
}
