import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import type { TestServer } from '@switchyard/testing/server/test-server';
import { expect } from 'vitest';

/** The probe of `bench/hostile.js`. */
const SCRIPT = fileURLToPath(new URL('../../bench/lib/latency-probe-process.js', import.meta.url));
const INTERVAL_MS = 10;
/** A busy machine can cause a single slow attempt; a real fault shows in every attempt. */
const ATTEMPTS = 3;
/** An attack shorter than this cannot have delayed others noticeably. */
const MIN_ATTACK_MS = 300;

interface Latencies {
  name: string;
  failures: number;
  worst: number;
}

/** Requests of other clients: a health check, the configuration, a conversion. */
function otherRequests({ url }: TestServer) {
  return [
    { name: 'healthz', url: `${url}/healthz`, everyMs: INTERVAL_MS },
    {
      name: 'config',
      url: `${url}/v1/split-testing/config?propertyId=shop`,
      headers: { 'x-api-key': PUBLIC_KEY },
      everyMs: INTERVAL_MS,
    },
    {
      name: 'increment',
      url: `${url}/v1/goals/increment`,
      method: 'POST',
      headers: { 'x-api-key': SECRET_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ propertyId: 'shop', goalId: 'signup', sessionId: 'probe' }),
      everyMs: INTERVAL_MS,
    },
  ];
}

/** Measures the latency of other clients of a server from a separate process. */
class LatencyProbe {
  readonly #child: ChildProcess = fork(SCRIPT, { execArgv: [] });

  static async start(server: TestServer): Promise<LatencyProbe> {
    const probe = new LatencyProbe();
    await probe.#send('start', otherRequests(server));
    await probe.#send('reset');
    return probe;
  }

  async #send(...message: unknown[]): Promise<unknown> {
    const reply = once(this.#child, 'message');
    this.#child.send(message);
    return (await reply)[0];
  }

  /** Stops the probe; returns the worst latency of each request in milliseconds. */
  async stop(): Promise<Record<'healthz' | 'config', number>> {
    const measured = (await this.#send('report')) as Latencies[];
    this.#child.disconnect();
    expect(measured.filter(({ failures }) => failures > 0)).toEqual([]);
    return Object.fromEntries(measured.map(({ name, worst }) => [name, worst])) as never;
  }
}

/**
 * Runs an attack while others use the server: none of them may wait for half the duration of the attack. If the work
 * runs on the serving thread, they wait for nearly all of it, in each attempt.
 */
export async function expectOthersServed(server: TestServer, attack: () => Promise<unknown>): Promise<void> {
  const attempts: { attackMs: number; worstMs: number }[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const probe = await LatencyProbe.start(server);
    const startedAt = performance.now();
    await attack();
    const attackMs = performance.now() - startedAt;
    const { healthz, config } = await probe.stop();
    const worstMs = Math.max(healthz, config);
    if (attackMs < MIN_ATTACK_MS || worstMs < attackMs / 2) return;
    attempts.push({ attackMs, worstMs });
  }
  expect.fail(`Others waited for most of the attack: ${JSON.stringify(attempts)}`);
}
