import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { keep } from './children.js';
import { CONFIG_PATH, PROPERTY, PUBLIC_KEY, SECRET_KEY } from './fixture.js';

const EVERY_MS = 10;

/** What must go on being answered while somebody else asks for much. */
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

/** Other clients of a server, in a process of their own: how long they wait for their answers. */
export class LatencyProbe {
  #child = keep(fork(fileURLToPath(new URL('./latency-probe-process.js', import.meta.url))));

  /** Resolves once each request was answered, so that connecting is not measured. */
  static async start(url) {
    const probe = new LatencyProbe();
    await probe.#order('start', requestsTo(url));
    return probe;
  }

  async #order(...message) {
    const answer = once(this.#child, 'message');
    this.#child.send(message);
    return (await answer)[0];
  }

  /** Forgets what was measured up to now. */
  reset() {
    return this.#order('reset');
  }

  /** What was measured since, by the name of the request. */
  async report() {
    return Object.fromEntries((await this.#order('report')).map((target) => [target.name, target]));
  }

  stop() {
    this.#child.disconnect();
  }
}
