// A child process that repeats a few requests, each on its own connection, and measures their latency.
// It is a separate process, so that neither the attacker nor the server can delay it.
import { Agent, request } from 'node:http';

/** How long to wait for pending responses before a report. */
const PENDING_TIMEOUT_MS = 2000;

/** A repeated request; the next one is sent a moment after the response to the last. */
class Target {
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #request;
  #latencies = [];
  #failures = 0;
  #sentAt;
  #onResponse;

  /** @param {{name: string, url: string, method?: string, headers?: object, body?: string, everyMs: number}} request */
  constructor(request) {
    this.#request = request;
    this.firstResponse = new Promise((resolve) => {
      this.#onResponse = resolve;
    });
    this.#send();
  }

  #send() {
    const { url, method = 'GET', headers = {}, body } = this.#request;
    this.#sentAt = performance.now();
    const sent = request(url, { method, agent: this.#agent, headers }, (response) => {
      response.resume();
      response.once('end', () => this.#ended(response.statusCode === 200));
      response.once('error', () => this.#ended(false));
    });
    sent.once('error', () => this.#ended(false));
    sent.end(body);
  }

  #ended(isOk) {
    if (this.#sentAt === undefined) return;
    this.#latencies.push(performance.now() - this.#sentAt);
    this.#sentAt = undefined;
    if (!isOk) this.#failures += 1;
    this.#onResponse();
    setTimeout(() => this.#send(), this.#request.everyMs);
  }

  reset() {
    this.#latencies = [];
    this.#failures = 0;
  }

  /** A pending request counts with the time it has waited so far. */
  report() {
    const pending = this.#sentAt === undefined ? 0 : performance.now() - this.#sentAt;
    const sorted = [...this.#latencies, pending].sort((left, right) => left - right);
    const quantile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
    return {
      name: this.#request.name,
      responses: this.#latencies.length,
      failures: this.#failures,
      median: quantile(0.5),
      p99: quantile(0.99),
      worst: sorted.at(-1),
    };
  }

  /** Resolves after the response to the pending request, or after a timeout. */
  async settle() {
    const end = performance.now() + PENDING_TIMEOUT_MS;
    const since = this.#sentAt;
    while (since !== undefined && this.#sentAt === since && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

let targets = [];

const commands = {
  async start(requests) {
    targets = requests.map((each) => new Target(each));
    await Promise.all(targets.map((target) => target.firstResponse));
    return 'ready';
  },
  reset() {
    for (const target of targets) target.reset();
    return 'reset';
  },
  async report() {
    await Promise.all(targets.map((target) => target.settle()));
    return targets.map((target) => target.report());
  },
};

process.on('message', async ([command, argument]) => process.send(await commands[command](argument)));
process.on('disconnect', () => process.exit());
