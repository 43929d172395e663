import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import type { TestServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { expect } from 'vitest';
import { type LoadResponse, post, type SentEvent } from './event-load.ts';
import { EventRequests } from './event-requests.ts';
import type { SeededRandom } from './random.ts';

/** The engine of the tests may be emulated, which takes tens of milliseconds for a statement. */
const INTERVAL_MS = 150;
/** What the product promises, whatever is unavailable. */
const MAX_MS = 5000;

interface Answer {
  what: string;
  node: TestServer;
  ms: number;
  /** 0 without a response. */
  status: number;
  text: string;
}

/** Clients of several nodes that send events of all kinds, evaluate flags and read the configuration, at a steady rate. */
export class NodeLoad {
  readonly events: SentEvent[] = [];
  readonly answers: Answer[] = [];
  readonly #random: SeededRandom;
  readonly #requests: EventRequests;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #pending = new Set<Promise<unknown>>();
  #nodes: readonly TestServer[] = [];
  #stopped = true;
  #running: Promise<void> | undefined;
  /** How long the machine kept this process waiting, at most. */
  #machineDelay = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#requests = new EventRequests(random, 0);
  }

  /** Sends to these nodes from now on. */
  sendTo(nodes: readonly TestServer[]): void {
    this.#nodes = [...nodes];
    if (!this.#stopped) return;
    this.#stopped = false;
    this.#running = this.#run();
  }

  /** Waits until that many more events were acknowledged. */
  async acknowledged(more: number): Promise<void> {
    const count = () => this.events.filter(({ outcome }) => outcome === 'acknowledged').length;
    const target = count() + more;
    await waitFor('acknowledged events', () => count() >= target);
  }

  /** Resolves when everything was answered. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    await Promise.all(this.#pending);
    this.#agent.destroy();
  }

  /**
   * Every request was answered in time, and everything was accepted.
   * @param except a node that was killed
   */
  expectServed(except?: TestServer): void {
    const answers = this.answers.filter(({ node }) => node !== except);
    const wrong = answers.filter(({ status, ms }) => status !== 200 || ms > MAX_MS + this.#machineDelay);
    const shown = wrong.slice(0, 10).map(({ what, status, ms, text }) => ({ what, status, ms, text }));
    expect(shown, `${wrong.length} of ${answers.length} requests`).toEqual([]);
  }

  /** In words, to be printed. */
  summary(): string {
    const times = this.answers.map(({ ms }) => ms).sort((a, b) => a - b);
    const at = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0);
    const acknowledged = this.events.filter(({ outcome }) => outcome === 'acknowledged').length;
    return (
      `${acknowledged} of ${this.events.length} events acknowledged; ${times.length} requests: ` +
      `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${Math.round(times.at(-1) ?? 0)} ms ` +
      `(the machine itself paused up to ${Math.round(this.#machineDelay)} ms)`
    );
  }

  async #run(): Promise<void> {
    let last = performance.now();
    while (!this.#stopped) {
      this.#track(this.#sendEvent());
      this.#track(this.#probe());
      await sleep(INTERVAL_MS);
      this.#machineDelay = Math.max(this.#machineDelay, performance.now() - last - INTERVAL_MS);
      last = performance.now();
    }
  }

  #track(request: Promise<unknown>): void {
    this.#pending.add(request);
    void request.finally(() => this.#pending.delete(request));
  }

  /** With an Idempotency-Key to one or two nodes, as a client does that retries elsewhere; without one to one. */
  async #sendEvent(): Promise<void> {
    const event: SentEvent = { ...this.#requests.next(), outcome: 'unknown' };
    this.events.push(event);
    const first = this.#random.pick(this.#nodes);
    const isRepeated = event.idempotencyKey !== undefined && this.#random.next() < 0.5;
    const targets = isRepeated ? [first, this.#random.pick(this.#nodes)] : [first];
    const statuses = await Promise.all(
      targets.map(async (node) => {
        const { status } = await this.#measure(event.kind, node, () => post(node.url, this.#agent, event));
        return status;
      }),
    );
    if (statuses.includes(200)) event.outcome = 'acknowledged';
    else if (!statuses.includes(0)) event.outcome = 'rejected';
  }

  async #probe(): Promise<void> {
    const node = this.#random.pick(this.#nodes);
    if (this.#random.next() < 0.5) {
      const body = { propertyId: 'shop', context: { userId: 'probe', visitorId: 'probe' } };
      const request = { path: '/v1/flags/evaluate', apiKey: SECRET_KEY, body };
      await this.#measure('flags', node, () => post(node.url, this.#agent, request));
    } else {
      await this.#measure('config', node, async () => {
        const headers = { 'x-api-key': PUBLIC_KEY };
        const response = await fetch(`${node.url}/v1/split-testing/config?propertyId=shop`, { headers });
        return { status: response.status, text: await response.text() };
      });
    }
  }

  async #measure(
    what: string,
    node: TestServer,
    send: () => Promise<Pick<LoadResponse, 'status' | 'text'>>,
  ): Promise<Answer> {
    const startedAt = performance.now();
    const { status, text } = await send().catch((error) => ({ status: 0, text: String(error) }));
    const answer = { what, node, ms: performance.now() - startedAt, status, text };
    this.answers.push(answer);
    return answer;
  }
}
