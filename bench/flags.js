// node bench/flags.js: compares local flag evaluation with other SDKs, in one run, on the same flags and contexts.
import { createServer } from 'node:http';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createSwitchyard } from '../packages/sdk/dist/esm/node/node.js';
import {
  COMPARABLE,
  FLAG_KEYS,
  flagdConfiguration,
  growthbookPayload,
  PEOPLE,
  switchyardList,
  switchyardSegments,
  unleashFeatures,
} from './lib/flag-fixture.js';
import { ratio, table, whole } from './lib/report.js';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    milliseconds: { type: 'string', default: '500' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/flags.js [options]   (after npm run build and npm ci --prefix bench)
  --rounds N        rounds, with all evaluators in each (default 9)
  --milliseconds N  time per evaluator and round (default 500)`;

const TARGET = 2;

/** The other SDKs are in bench/package.json, so that users do not install them. */
async function loadOthers() {
  try {
    return {
      ...(await import('@growthbook/growthbook')),
      ...(await import('@openfeature/flagd-core')),
      ...(await import('unleash-client')),
    };
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    console.error(`${error.message}\nInstall the other SDKs first: npm ci --prefix bench`);
    return process.exit(1);
  }
}

/** Serves definitions to the two SDKs that fetch them. */
function serveDefinitions() {
  const bodies = {
    '/v1/flags/list': switchyardList(),
    '/v1/flags/segments': switchyardSegments(),
    '/api/client/features': unleashFeatures(),
  };
  return new Promise((resolve) => {
    const server = createServer((request, response) => {
      const body = bodies[request.url.split('?')[0]];
      response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body ?? {}));
    });
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

// Each evaluator has its own loop: a shared loop would be megamorphic, and slow for all of them.

async function openSwitchyard(url) {
  const client = createSwitchyard({
    apiUrl: url,
    secretApiKey: 'service_sec_0123456789abcdefBenchSecret',
    propertyId: 'shop',
    stream: false,
  });
  const ready = await client.ready();
  if (!ready.success) throw new Error(ready.error.message);
  const { flags } = client;
  return {
    name: 'Switchyard',
    evaluate: (key, i) => flags.boolean(key, false, PEOPLE[i]),
    pass() {
      let on = 0;
      for (const person of PEOPLE) for (const key of FLAG_KEYS) if (flags.boolean(key, false, person)) on++;
      return on;
    },
    close: () => client.close(),
  };
}

function openGrowthbook({ GrowthBookClient }) {
  const client = new GrowthBookClient().initSync({ payload: growthbookPayload() });
  const users = PEOPLE.map((attributes) => ({ attributes }));
  return {
    name: '@growthbook/growthbook',
    evaluate: (key, i) => client.isOn(key, users[i]),
    pass() {
      let on = 0;
      for (const user of users) for (const key of FLAG_KEYS) if (client.isOn(key, user)) on++;
      return on;
    },
    close: () => client.destroy(),
  };
}

async function openUnleash({ InMemStorageProvider, Unleash }, url) {
  const client = new Unleash({
    url: `${url}/api`,
    appName: 'bench',
    disableMetrics: true,
    refreshInterval: 600_000,
    storageProvider: new InMemStorageProvider(),
    skipInstanceCountWarning: true,
  });
  client.on('error', (error) => console.error(error));
  await new Promise((resolve) => client.once('synchronized', resolve));
  const contexts = PEOPLE.map(({ userId, ...properties }) => ({ userId, properties }));
  return {
    name: 'unleash-client',
    evaluate: (key, i) => client.isEnabled(key, contexts[i]),
    pass() {
      let on = 0;
      for (const context of contexts) for (const key of FLAG_KEYS) if (client.isEnabled(key, context)) on++;
      return on;
    },
    close: () => client.destroy(),
  };
}

function openFlagd({ FlagdCore }) {
  const core = new FlagdCore();
  core.setConfigurations(flagdConfiguration());
  const contexts = PEOPLE.map(({ userId, ...attributes }) => ({ targetingKey: userId, ...attributes }));
  return {
    name: '@openfeature/flagd-core',
    evaluate: (key, i) => core.resolveBooleanEvaluation(key, false, contexts[i]).value,
    pass() {
      let on = 0;
      for (const context of contexts) {
        for (const key of FLAG_KEYS) if (core.resolveBooleanEvaluation(key, false, context).value) on++;
      }
      return on;
    },
    close() {},
  };
}

/** Results are only comparable if all evaluators return the same values. */
function checkValues(ours, others) {
  for (const other of others) {
    for (const key of COMPARABLE) {
      for (const i of PEOPLE.keys()) {
        const [a, b] = [ours.evaluate(key, i), other.evaluate(key, i)];
        if (a !== b)
          throw new Error(`${key} for ${JSON.stringify(PEOPLE[i])}: ours ${a}, ${other.name} ${b}`);
      }
    }
  }
  const shares = [ours, ...others].map(({ name, evaluate }) => {
    const on = (key) => [...PEOPLE.keys()].filter((i) => evaluate(key, i)).length;
    return `${name} ${on('one-in-ten')}, ${on('half')}, ${on('most')}`;
  });
  const values = COMPARABLE.length * PEOPLE.length;
  console.log(`All four return the same ${values} values for ${COMPARABLE.length} flags.`);
  console.log(`Of 100 people in rollouts of 10, 50 and 90 percent: ${shares.join('; ')}.\n`);
}

/** Evaluations per second. */
function measure({ pass }, milliseconds) {
  const start = performance.now();
  let passes = 0;
  while (performance.now() - start < milliseconds) {
    pass();
    passes++;
  }
  return (passes * PEOPLE.length * FLAG_KEYS.length * 1000) / (performance.now() - start);
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function run() {
  const sdks = await loadOthers();
  const server = await serveDefinitions();
  const url = `http://127.0.0.1:${server.address().port}`;
  const ours = await openSwitchyard(url);
  const others = [openGrowthbook(sdks), await openUnleash(sdks, url), openFlagd(sdks)];
  checkValues(ours, others);
  const speeds = new Map([ours, ...others].map((each) => [each, []]));
  for (let round = 0; round <= Number(options.rounds); round++) {
    for (const [evaluator, samples] of speeds) {
      const speed = measure(evaluator, Number(options.milliseconds));
      // Round 0 is a warm-up.
      if (round > 0) samples.push(speed);
    }
  }
  const own = speeds.get(ours);
  const rows = [...speeds].map(([{ name }, samples]) => {
    const ratios = own.map((speed, round) => speed / samples[round]);
    const share = median(ratios);
    return [
      name,
      whole(median(samples)),
      `${whole(1e9 / median(samples))} ns`,
      samples === own ? '' : ratio(share),
      samples === own ? '' : `${ratio(Math.min(...ratios))} to ${ratio(Math.max(...ratios))}`,
      samples === own ? '' : share >= TARGET ? 'met' : 'missed',
    ];
  });
  const header = [
    '',
    'evaluations/s',
    'each',
    'Switchyard is faster by a factor of',
    'range over rounds',
    `target ${TARGET}.00`,
  ];
  console.log(table(header, rows));
  for (const evaluator of speeds.keys()) await evaluator.close();
  server.close();
}

if (options.help) console.log(HELP);
else {
  console.log(
    `Node.js ${process.version}, ${cpus().length} × ${process.arch}, ${new Date().toISOString().slice(0, 10)}\n`,
  );
  await run();
}
