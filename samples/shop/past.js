import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { backendContexts, reportUsage } from './flag-usage.js';
import { call, ManagementClient } from './management-client.js';
import { provisionFile } from './property.js';
import { ServerProcess } from './server-process.js';
import { timeline } from './timeline.js';
import { DAY, daysAgo } from './times.js';

const FIRST_DAY = 62;
/** Every third day, which is often enough to tell which flags are stale. */
const USAGE_DAYS = Array.from({ length: 20 }, (_, i) => 1 + 3 * i);
/** A session that was not used for two weeks has ended. */
const SIGN_IN_AGAIN_AFTER = 10 * DAY;
const PRELOAD = new URL('past-clock.js', import.meta.url).href;

/**
 * Runs a server whose clock starts two months ago and lets the people of the shop make their changes through the
 * management API, so that history, versions and phases have the right times. Returns the configuration at the end.
 *
 * @param {{now: number, seed: number, people: object, keys: object, webhookUrl: string, workDir: string, signal?: AbortSignal}} options
 */
export async function livePast(dataDir, options) {
  const past = new Past(options);
  past.setClock(daysAgo(options.now, FIRST_DAY, '12:00'));
  await past.start(dataDir);
  try {
    await past.hire();
    for (const step of past.steps()) {
      options.signal?.throwIfAborted();
      past.setClock(step.at);
      await step.run();
      await past.settle();
    }
    return await past.configuration();
  } finally {
    await past.stop();
  }
}

class Past {
  #options;
  #clockFile;
  #at;
  #server;
  /** By role: `{client, usedAt}`. */
  #clients = new Map();
  #contexts;
  #hasWebhook = false;

  constructor(options) {
    this.#options = options;
    this.#clockFile = join(options.workDir, 'clock');
    this.#contexts = backendContexts(options.seed, options.now);
  }

  setClock(at) {
    this.#at = at;
    // Renamed into place: the server must never read an empty file.
    writeFileSync(`${this.#clockFile}.new`, String(at - Date.now()));
    renameSync(`${this.#clockFile}.new`, this.#clockFile);
  }

  async start(dataDir) {
    const { now, keys, workDir, signal } = this.#options;
    const file = join(workDir, 'provision.json');
    writeFileSync(file, JSON.stringify(provisionFile(now, keys)), { mode: 0o600 });
    const env = { PROVISION_FILE: file, DEMO_CLOCK_FILE: this.#clockFile, RATE_LIMIT_PER_SECOND: '0' };
    this.#server = await ServerProcess.start(dataDir, { env, nodeOptions: ['--import', PRELOAD], signal });
  }

  stop() {
    return this.#server.stop();
  }

  /** Creates the accounts: the owner by the first setup, the others by invitations. */
  async hire() {
    const { owner, admin, editor } = this.#options.people;
    const { url } = this.#server;
    const { headers } = await call(url, 'POST', '/v1/manage/setup', { body: owner });
    this.#remember('owner', ManagementClient.withCookie(url, headers));
    for (const [role, person] of Object.entries({ admin, editor })) {
      const { email, ...rest } = person;
      const invitation = await this.#request('owner', 'POST', 'invitations', { email, role });
      const token = invitation.url.split('#token=')[1];
      const body = { token, ...rest };
      const accepted = await call(url, 'POST', '/v1/manage/invitations/accept', { body });
      this.#remember(role, ManagementClient.withCookie(url, accepted.headers));
    }
    const expiresAt = this.#at + 360 * DAY;
    const token = { name: 'Release pipeline', role: 'editor', properties: ['shop'], expiresAt };
    const created = await this.#request('owner', 'POST', '/v1/manage/me/tokens', token);
    this.#remember('token', ManagementClient.withToken(url, created.token));
  }

  #remember(role, client) {
    this.#clients.set(role, { client, usedAt: this.#at });
  }

  async #request(role, ...request) {
    const { client, usedAt } = this.#clients.get(role);
    const hasEnded = role !== 'token' && this.#at - usedAt > SIGN_IN_AGAIN_AFTER;
    const person = this.#options.people[role];
    this.#remember(role, hasEnded ? await ManagementClient.signIn(this.#server.url, person) : client);
    return this.#clients.get(role).client.request(...request);
  }

  configuration() {
    return this.#request('owner', 'GET', 'configuration');
  }

  /** Waits until the webhook got what happened, before the clock moves on. */
  async settle() {
    if (!this.#hasWebhook) return;
    for (;;) {
      const { deliveries } = await this.#request('owner', 'GET', 'webhooks/team-chat/deliveries');
      if (deliveries.every(({ state }) => state !== 'pending')) return;
      await sleep(10);
    }
  }

  /** The timeline and the daily use of the flags, in order. */
  steps() {
    const { now, webhookUrl } = this.#options;
    const changes = timeline(now, webhookUrl).map((step) => ({
      at: daysAgo(now, step.daysAgo, step.time),
      run: () => this.#change(step),
    }));
    const usage = USAGE_DAYS.map((days) => this.#usageStep(days, '12:00'));
    // While the maintenance mode is on.
    const outage = this.#usageStep(12, '18:20');
    return [...changes, ...usage, outage].sort((a, b) => a.at - b.at);
  }

  #usageStep(days, time) {
    const { now, keys } = this.#options;
    const run = async () => {
      const configuration = await this.configuration();
      const environments = configuration.environments.map(({ id }) => id);
      for (const environment of environments) {
        const contexts = environment === 'production' ? this.#contexts : this.#contexts.slice(0, 10);
        const report = { configuration, contexts, environment, daysAgo: days };
        await reportUsage(this.#server.url, keys.secretKey, report);
      }
    };
    return { at: daysAgo(now, days, time), run };
  }

  async #change({ by, method, path, body, comment, approve, reject, schedule }) {
    if (schedule !== undefined) return this.#awaitSchedule(schedule);
    this.#hasWebhook ||= path === 'webhooks/team-chat';
    if (method !== undefined) return this.#request(by, method, path, body, { comment });
    const { proposals } = await this.#request(by, 'GET', 'proposals');
    const open = proposals.find(({ state, key }) => state === 'open' && key === (approve ?? reject));
    return this.#request(by, 'POST', `proposals/${open.id}/${approve === undefined ? 'reject' : 'approve'}`);
  }

  /** The server makes steps of a rollout by itself. */
  async #awaitSchedule(flagKey) {
    for (;;) {
      const { environments } = await this.#request('owner', 'GET', `flags/${flagKey}`);
      const steps = environments.production.rules.flatMap(({ rollout }) => rollout?.schedule ?? []);
      if (steps.every(({ at }) => at > this.#at)) return;
      await sleep(20);
    }
  }
}
