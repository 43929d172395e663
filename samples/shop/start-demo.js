import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillStore } from './fill-store.js';
import { readFeedback } from './inbox.js';
import { runLiveVisits } from './live-visits.js';
import { LocalPages } from './local-pages.js';
import { ManagementClient } from './management-client.js';
import { measuredTests } from './measured-flags.js';
import { livePast } from './past.js';
import { ServerProcess } from './server-process.js';
import { SPLIT_TESTS } from './split-tests.js';

const SEED = 20_260;
const VISITORS = 20_000;

const password = () => randomBytes(12).toString('base64url');
const newPeople = () => ({
  owner: { email: 'demo@example.com', name: 'Maya Lind', password: password() },
  admin: { email: 'priya@example.com', name: 'Priya Nair', password: password() },
  editor: { email: 'jonas@example.com', name: 'Jonas Weber', password: password() },
});
const newKeys = () => ({
  publicKey: `service_pub_${randomBytes(24).toString('hex')}`,
  secretKey: `service_sec_${randomBytes(24).toString('hex')}`,
});

/**
 * Starts a server on a fresh data directory with the sample shop: two months of configuration and visits.
 *
 * @param {object} [options]
 * @param {number} [options.port] default: any free port
 * @param {string} [options.dataDir] new or empty, and kept; default: a temporary directory, removed by `stop`
 * @param {number} [options.visitors] of the simulated two months
 * @param {number} [options.seed] of the simulation
 * @param {boolean} [options.live] whether visits go on while the server runs
 * @param {AbortSignal} [options.signal] ends the start
 * @param {(message: string) => void} [options.log] gets the progress
 * @example const demo = await startDemo({ visitors: 2000, live: false }); await demo.stop();
 */
export async function startDemo(options = {}) {
  const demo = new Demo(options);
  try {
    return await demo.start();
  } catch (error) {
    await demo.stop();
    throw error;
  }
}

class Demo {
  #options;
  #workDir = mkdtempSync(join(tmpdir(), 'switchyard-demo-'));
  #pages;
  #server;
  #live;
  #liveVisits = new AbortController();

  constructor({ port = 0, visitors = VISITORS, seed = SEED, live = true, log = () => {}, ...rest }) {
    this.#options = { port, visitors, seed, live, log, ...rest };
  }

  async start() {
    const { seed, port, visitors, signal, log } = this.#options;
    const [now, people, keys] = [Date.now(), newPeople(), newKeys()];
    const dataDir = this.#prepareDirectory();
    this.#pages = await LocalPages.open();
    const { webhookUrl } = this.#pages;
    log('Two months of changes …');
    const configuration = await livePast(dataDir, {
      now,
      seed,
      people,
      keys,
      webhookUrl,
      signal,
      workDir: this.#workDir,
    });
    log(`Two months of visits (seed ${seed}) …`);
    const { splitTests } = configuration;
    const tests = [
      ...SPLIT_TESTS.map((test) => ({ ...test, ...splitTests.find(({ key }) => key === test.key) })),
      ...measuredTests(configuration),
    ];
    const filled = await fillStore(dataDir, { seed, visitors, now, tests });
    log(`${filled.sessions} sessions of ${visitors} visitors. Starting the server …`);
    this.#server = await ServerProcess.start(dataDir, { port, signal });
    return this.#open({ people, keys });
  }

  #prepareDirectory() {
    const { dataDir = join(this.#workDir, 'data') } = this.#options;
    if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
      throw new Error(`${dataDir} is not empty: the demo needs a new directory`);
    }
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return dataDir;
  }

  async #open({ people, keys }) {
    const { url, exited } = this.#server;
    const [owner, editor] = await Promise.all(
      [people.owner, people.editor].map((person) => ManagementClient.signIn(url, person)),
    );
    await readFeedback(editor);
    if (this.#options.live) {
      const { signal } = this.#liveVisits;
      this.#live = runLiveVisits(url, { seed: this.#options.seed, keys, signal });
    }
    const { cookie } = owner;
    const { email, password } = people.owner;
    const signInUrl = this.#pages.offerSignIn({ cookie, location: `${url}/p/shop/overview` });
    const stop = () => this.stop();
    return { url, propertyId: 'shop', email, password, cookie, signInUrl, people, keys, exited, stop };
  }

  /** Ends everything and removes the temporary directory. */
  async stop() {
    this.#liveVisits.abort();
    await this.#live;
    await this.#server?.stop();
    await this.#pages?.close();
    rmSync(this.#workDir, { recursive: true, force: true });
  }
}
