import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { track } from './children.js';
import { CONFIG_PATH, PROPERTY, PUBLIC_KEY, SECRET_KEY } from './fixture.js';

const EVERY_MS = 10;

/** Requests that must stay fast during an attack. */
function requestsTo(url) {
  return [
    { name: 'healthz', url: `${url}/healthz`, everyMs: EVERY_MS },
    { name: 'config', url: url + CONFIG_PATH, headers: { 'x-api-key': PUBLIC_KEY }, everyMs: EVERY_MS },
    {
      name: 'increment',
      url: `${url}/v1/goals/increment`,
      method: 'POST',
      headers: { 'x-api-key': SECRET_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ propertyId: PROPERTY, goalId: 'signup', sessionId: 'probe' }),
      everyMs: EVERY_MS,
    },
  ];
}

/** Measures the latency of other clients of a server in a separate process. */
export class LatencyProbe {
  #child = track(fork(fileURLToPath(new URL('./latency-probe-process.js', import.meta.url))));

  /** Resolves after the first response to each request, so that connecting is not measured. */
  static async start(url) {
    const probe = new LatencyProbe();
    await probe.#send('start', requestsTo(url));
    return probe;
  }

  async #send(...message) {
    const reply = once(this.#child, 'message');
    this.#child.send(message);
    return (await reply)[0];
  }

  /** Discards the measurements so far. */
  reset() {
    return this.#send('reset');
  }

  /** Measurements since the last reset, by request name. */
  async report() {
    return Object.fromEntries((await this.#send('report')).map((target) => [target.name, target]));
  }

  stop() {
    this.#child.disconnect();
  }
}
