// A child process that sends a few requests over and over, each on a connection of its own, and times the answers.
// It is a process of its own, so that neither the attacker's work nor the server's can keep it from looking.
import { Agent, request } from 'node:http';

/** How long to wait for the answers that are due when a report is asked for. */
const LAST_ANSWERS_MS = 2000;

/** One request that is repeated; the next one leaves a moment after the answer to the last. */
class Target {
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #order;
  #latencies = [];
  #failures = 0;
  #sentAt;
  #onAnswer;

  /** @param {{name: string, url: string, method?: string, headers?: object, body?: string, everyMs: number}} order */
  constructor(order) {
    this.#order = order;
    this.answered = new Promise((resolve) => {
      this.#onAnswer = resolve;
    });
    this.#send();
  }

  #send() {
    const { url, method = 'GET', headers = {}, body } = this.#order;
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
    this.#onAnswer();
    setTimeout(() => this.#send(), this.#order.everyMs);
  }

  reset() {
    this.#latencies = [];
    this.#failures = 0;
  }

  /** What is still unanswered counts with the time it has waited. */
  report() {
    const waiting = this.#sentAt === undefined ? 0 : performance.now() - this.#sentAt;
    const sorted = [...this.#latencies, waiting].sort((left, right) => left - right);
    const quantile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
    return {
      name: this.#order.name,
      answers: this.#latencies.length,
      failures: this.#failures,
      median: quantile(0.5),
      p99: quantile(0.99),
      worst: sorted.at(-1),
    };
  }

  /** Resolves when what was sent before is answered, or nobody waits for it any more. */
  async settle() {
    const end = performance.now() + LAST_ANSWERS_MS;
    const since = this.#sentAt;
    while (since !== undefined && this.#sentAt === since && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

let targets = [];

const orders = {
  async start(requests) {
    targets = requests.map((each) => new Target(each));
    await Promise.all(targets.map((target) => target.answered));
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

process.on('message', async ([order, argument]) => process.send(await orders[order](argument)));
process.on('disconnect', () => process.exit());
