// Changes through the management API in a large property: how long a request takes, how soon others see its change,
// and how long other requests wait meanwhile.
import { removeDirectory, Server, temporaryDirectory } from './children.js';
import { fetchConfig, PROPERTY, PROVISION, SECRET_KEY } from './fixture.js';
import { LatencyProbe } from './latency-probe.js';
import { evaluateFlag, Manager, OWNER_SETTINGS, untilVisible } from './manager.js';
import { quantile } from './measures.js';
import { ms } from './report.js';

const FLAGS = 1000;
const SPLIT_TESTS = 200;
const REQUESTS = 300;
const WARM_UP = 30;
const TARGET_MS = 50;

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
      const isEnabled = async () =>
        ((await evaluateFlag(url, key)).reason === 'DISABLED') === (round % 2 !== 0);
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
        async () => (await evaluateFlag(url, key))?.value === `value ${round}`,
      );
      return { change, evaluate: evaluated, stream: Math.max(0, (await streamed) - change.at) };
    },
  };
}

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
  const server = await Server.start(dataDir, { provision: largeProvision(), env: OWNER_SETTINGS });
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
