import type { SplitTesting, SplitTestingOptions } from '../client/browser-client.ts';
import type { Host } from '../client/host.ts';
import { createSplitTestingClient } from '../client/split-testing-client.ts';

/** A simulated browser: storage, cookies, clock and network of one visitor, in memory. */
export class SimulatedVisitor {
  readonly storage = new Map<string, string>();
  readonly cookies = new Map<string, string>();
  readonly requests: string[] = [];
  now = Date.now();
  /** The network; replace it to simulate faults. */
  fetch: Host['fetch'] = fetch;
  #timers: { at: number; run: () => void }[] = [];

  /** Opens a page; storage and cookies of earlier pages are still there. */
  open(options: SplitTestingOptions, search = ''): SplitTesting {
    return createSplitTestingClient(options, this.#host(search)).publicClient;
  }

  /** Advances the clock and runs the timers that are due. */
  async advance(milliseconds: number): Promise<void> {
    this.now += milliseconds;
    const due = this.#timers.filter(({ at }) => at <= this.now);
    this.#timers = this.#timers.filter(({ at }) => at > this.now);
    for (const { run } of due) run();
  }

  #host(search: string): Host {
    const { storage } = this;
    return {
      fetch: (url, init) => {
        this.requests.push(`${init.method ?? 'GET'} ${new URL(url).pathname}`);
        return this.fetch(url, init);
      },
      now: () => this.now,
      random: () => 0.5,
      schedule: (run, milliseconds) => this.#timers.push({ at: this.now + milliseconds, run }),
      store: {
        get: (key) => JSON.parse(storage.get(key) ?? 'null'),
        set(key, value) {
          if (value === undefined) storage.delete(key);
          else storage.set(key, JSON.stringify(value));
        },
        listKeys: (prefix) => [...storage.keys()].filter((key) => key.startsWith(prefix)),
      },
      readCookies: () => [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      writeCookie: (name, value, maxAgeSeconds) => {
        if (maxAgeSeconds > 0) this.cookies.set(name, value);
        else this.cookies.delete(name);
      },
      urlQuery: search,
      whenShown: (run) => run(),
      onChoice() {},
      loadAudiences: () => import('../audience/page-audiences.ts'),
    };
  }
}
