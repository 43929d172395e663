import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { track } from './children.js';
import { PROPERTY, SECRET_KEY } from './fixture.js';

const PROCESS = fileURLToPath(new URL('./stream-clients-process.js', import.meta.url));
const REQUEST = `GET /v1/flags/stream?propertyId=${PROPERTY} HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: ${SECRET_KEY}\r\n\r\n`;

/** Many streams of flag changes, in a process of their own. */
export class StreamClients {
  #child = track(fork(PROCESS));

  /** Resolves with how many were `opened` and `refused`. */
  async open(port, count) {
    this.#child.send({ port, request: REQUEST, count });
    return this.#answer();
  }

  /** Calls `change`; resolves with how long it took until the last stream had received its event. */
  async receiveAll(change) {
    this.#child.send({ waitFor: 'event: change' });
    await this.#answer();
    const last = this.#answer();
    const startedAt = performance.timeOrigin + performance.now();
    await change();
    return (await last).at - startedAt;
  }

  async #answer() {
    const [message] = await once(this.#child, 'message');
    if (message.error !== undefined) throw new Error(message.error);
    return message;
  }

  stop() {
    this.#child.disconnect();
  }
}
