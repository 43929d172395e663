// Changes through the management API in a large property: how long a request takes, how soon others see its change,
// and how long other requests wait meanwhile.
import { removeDirectory, Server, temporaryDirectory } from './children.js';
import { fetchConfig, PROPERTY, PROVISION, SECRET_KEY } from './fixture.js';
import { LatencyProbe } from './latency-probe.js';
import { ms } from './report.js';

const FLAGS = 1000;
const SPLIT_TESTS = 200;
const REQUESTS = 300;
const WARM_UP = 30;
const TARGET_MS = 50;
const OWNER = { email: 'owner@shop.example', password: 'only for measurements' };
const MANAGED = `/v1/manage/properties/${PROPERTY}`;

/** The flags and tests of the fixture, many times. */
function largeProvision() {
  const [property] = PROVISION.properties;
  const repeat = (list, count) =>
    Array.from({ length: count }, (_, i) => {
      const item = list[i % list.length];
      return { ...item, key: `${item.key}-${i}`, ...(item.hashSeed && { hashSeed: `seed-${i}` }) };
    });
  return {
    properties: [
      {
        ...property,
        flags: repeat(property.flags, FLAGS),
        splitTests: repeat(property.splitTests, SPLIT_TESTS),
      },
    ],
  };
}

/** Requests with an access token. */
class Manager {
  #url;
  #token;

  static async signIn(url) {
    const manager = new Manager();
    manager.#url = url;
    const headers = { 'content-type': 'application/json', origin: url };
    const post = (path, body, more) =>
      fetch(url + path, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });
    const signedIn = await post('/v1/manage/sign-in', OWNER);
    const cookie = signedIn.headers.getSetCookie()[0].split(';')[0];
    const expiresAt = Date.now() + 3_600_000;
    const created = await post(
      '/v1/manage/me/tokens',
      { name: 'bench', role: 'owner', expiresAt },
      { cookie },
    );
    manager.#token = (await created.json()).token;
    return manager;
  }

  /** A change; `at` is when its response had arrived. */
  async change(method, path, body) {
    const startedAt = performance.now();
    const response = await fetch(`${this.#url}${MANAGED}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        'content-type': 'application/json',
        ...(method === 'PATCH' && { 'if-match': '*' }),
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const at = performance.now();
    if (!response.ok) throw new Error(`${method} ${path} → ${response.status}: ${text}`);
    return { at, took: at - startedAt };
  }
}

/** When the stream of flag changes named which flags. */
async function followFlagKeys(url) {
  const abort = new AbortController();
  const { body } = await fetch(`${url}/v1/flags/stream?propertyId=${PROPERTY}`, {
    headers: { 'x-api-key': SECRET_KEY },
    signal: abort.signal,
  });
  const waiting = new Map();
  const listen = async () => {
    let text = '';
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      const events = (text + part).split('\n\n');
      text = events.pop();
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event);
        for (const key of data === null ? [] : JSON.parse(data[1]).flags) {
          waiting.get(key)?.(performance.now());
          waiting.delete(key);
        }
      }
    }
  };
  listen().catch(() => {});
  return {
    next: (key) => new Promise((resolve) => waiting.set(key, resolve)),
    close: () => abort.abort(),
  };
}

async function evaluate(url, flagKey) {
  const response = await fetch(`${url}/v1/flags/evaluate`, {
    method: 'POST',
    headers: { 'x-api-key': SECRET_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ propertyId: PROPERTY, context: { userId: 'nobody' }, flagKeys: [flagKey] }),
  });
  return (await response.json()).flags[flagKey];
}

/** Milliseconds since the acknowledgement until a read shows the change. */
async function untilVisible(at, read) {
  while (!(await read()))
    if (performance.now() - at > 10_000) throw new Error('the change never became visible');
  return performance.now() - at;
}

/** The kinds of changes, each with the reads that must show it. */
function changes({ url, manager, stream }) {
  const flagKey = (round) => `flag-${round % 20}-${round % FLAGS}`;
  const flagBody = (round) => ({
    type: 'string',
    defaultValue: `value ${round}`,
    environments: { production: { enabled: true, value: `value ${round}` } },
  });
  return {
    'PATCH flag': async (round) => {
      const key = flagKey(round);
      const streamed = stream.next(key);
      const description = `Round ${round}`;
      const change = await manager.change('PATCH', `/flags/${key}`, {
        description,
        environments: { production: { enabled: round % 2 === 0 } },
      });
      const isEnabled = async () => ((await evaluate(url, key)).reason === 'DISABLED') === (round % 2 !== 0);
      const evaluated = await untilVisible(change.at, isEnabled);
      return { change, evaluate: evaluated, stream: Math.max(0, (await streamed) - change.at) };
    },
    'PATCH split test': async (round) => {
      const key = `${PROVISION.properties[0].splitTests[round % 5].key}-${round % SPLIT_TESTS}`;
      const trafficAllocation = 50 + (round % 50);
      const change = await manager.change('PATCH', `/split-tests/${key}`, { trafficAllocation });
      const isPublished = async () => {
        const { tests } = (await fetchConfig(url)).body;
        return tests.find((test) => test.key === key).trafficAllocation === trafficAllocation;
      };
      return { change, config: await untilVisible(change.at, isPublished) };
    },
    'PUT new flag': async (round) => {
      const key = `new-flag-${round}`;
      const streamed = stream.next(key);
      const change = await manager.change('PUT', `/flags/${key}`, flagBody(round));
      const evaluated = await untilVisible(
        change.at,
        async () => (await evaluate(url, key))?.value === `value ${round}`,
      );
      return { change, evaluate: evaluated, stream: Math.max(0, (await streamed) - change.at) };
    },
  };
}

const quantile = (samples, share) =>
  samples.toSorted((left, right) => left - right)[
    Math.min(samples.length - 1, Math.floor(samples.length * share))
  ];

const row = (name, samples, below) => ({
  name,
  text: `p50 ${ms(quantile(samples, 0.5))}, p99 ${ms(quantile(samples, 0.99))}`,
  value: quantile(samples, 0.99),
  below: { value: below, text: `${below} ms` },
});

const SEEN = {
  config: 'in `/v1/split-testing/config`',
  evaluate: 'in `/v1/flags/evaluate`',
  stream: 'in `/v1/flags/stream`',
};

/** Rows for `targetTable`. */
export async function measureManagedChanges() {
  const dataDir = temporaryDirectory();
  const env = { ADMIN_EMAIL: OWNER.email, ADMIN_PASSWORD: OWNER.password };
  const server = await Server.start(dataDir, { provision: largeProvision(), env });
  const { url } = server;
  const manager = await Manager.signIn(url);
  const stream = await followFlagKeys(url);
  const probe = await LatencyProbe.start(url);
  const rows = [];
  for (const [name, change] of Object.entries(changes({ url, manager, stream }))) {
    for (let round = 0; round < WARM_UP; round++) await change(REQUESTS + round);
    await probe.reset();
    const samples = [];
    for (let round = 0; round < REQUESTS; round++) samples.push(await change(round));
    const others = await probe.report();
    rows.push(
      row(
        `${name}: response`,
        samples.map(({ change: { took } }) => took),
        TARGET_MS,
      ),
    );
    for (const [seen, words] of Object.entries(SEEN)) {
      const times = samples.flatMap((sample) => sample[seen] ?? []);
      if (times.length > 0) rows.push(row(`… from the response to the change ${words}`, times, TARGET_MS));
    }
    rows.push({
      name: '… `/healthz` meanwhile',
      text: `p99 ${ms(others.healthz.p99)}, max ${ms(others.healthz.worst)}`,
      value: others.healthz.worst,
      below: { value: TARGET_MS, text: `${TARGET_MS} ms` },
    });
  }
  probe.stop();
  stream.close();
  await server.stop();
  removeDirectory(dataDir);
  return rows;
}
