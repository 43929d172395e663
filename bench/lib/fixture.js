// The property under test and the requests sent to it.

export const PROPERTY = 'shop';
export const PUBLIC_KEY = 'service_pub_0123456789abcdefBenchPublic';
export const SECRET_KEY = 'service_sec_0123456789abcdefBenchSecret';
const TESTS = ['hero', 'price', 'layout', 'onboarding', 'search'];
const VARIATIONS = ['control', 'b'];

const condition = (attribute, operator, ...values) => ({ attribute, operator, values });

/** Their rollouts are measured like split tests. */
const MEASURED_FLAGS = [4, 10, 16];

/** Twenty flags with three rules each: operators of all kinds, a segment, and a rollout as the last rule. */
function flags() {
  const targeted = [
    condition('email', 'endsWith', '@shop.example'),
    condition('country', 'in', 'DE', 'FR', 'ES', 'IT'),
    condition('appVersion', 'semverGreaterThanOrEqual', '3.0.0'),
    condition('age', 'greaterThan', 65),
    { operator: 'inSegment', values: ['beta'] },
  ];
  return Array.from({ length: 20 }, (_, i) => {
    const isBoolean = i % 2 === 0;
    const value = (text) => (isBoolean ? text !== 'off' : text);
    return {
      key: `flag-${i}`,
      type: isBoolean ? 'boolean' : 'string',
      defaultValue: value('off'),
      environments: {
        production: {
          enabled: true,
          value: value('off'),
          rules: [
            {
              id: 'staff',
              conditions: [targeted[i % 5], condition('plan', 'notEquals', 'free')],
              value: value('staff'),
            },
            {
              id: 'market',
              match: 'any',
              conditions: [targeted[(i + 1) % 5], targeted[(i + 2) % 5]],
              value: value('market'),
            },
            {
              id: 'rollout',
              conditions: [],
              rollout: { percentage: 5 * i },
              value: value('on'),
              ...(MEASURED_FLAGS.includes(i) && { measure: { goals: ['signup'] } }),
            },
          ],
        },
      },
    };
  });
}

export const PROVISION = {
  properties: [
    {
      id: PROPERTY,
      apiKeys: [
        { kind: 'public', name: 'web', key: PUBLIC_KEY },
        { kind: 'secret', name: 'backend', key: SECRET_KEY },
      ],
      goals: [
        { id: 'signup', kind: 'count' },
        { id: 'revenue', kind: 'revenue' },
        { id: 'upgrade', kind: 'count' },
      ],
      splitTests: TESTS.map((key) => ({
        key,
        type: 'text',
        status: 'running',
        hashSeed: `seed-${key}`,
        trafficAllocation: 100,
        variations: VARIATIONS.map((variation) => ({
          key: variation,
          weight: 50,
          value: `${key}: the words of ${variation}`,
        })),
        goals: ['signup', 'revenue', 'upgrade'],
      })),
      segments: [
        {
          id: 'beta',
          match: 'any',
          conditions: [condition('plan', 'equals', 'beta'), condition('tags', 'contains', 'beta')],
        },
      ],
      flags: flags(),
    },
  ],
};

const VISIT = '%%%%%%%%%%%VISIT';
const VISITOR = '%%%%%%%%%VISITOR';

export const CONFIG_PATH = `/v1/split-testing/config?propertyId=${PROPERTY}`;
const FLAGS_PATH = `/v1/flags/list?propertyId=${PROPERTY}`;
const EVALUATE_PATH = '/v1/flags/evaluate';
const OFREP_PATH = '/ofrep/v1/evaluate/flags';

function get(path, key) {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: ${key}\r\n\r\n`;
}

function post(path, key, body, headers = '') {
  const text = JSON.stringify(body);
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: ${key}\r\n${headers}content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}

const evaluation = (userId) => ({
  propertyId: PROPERTY,
  context: {
    userId,
    email: 'ada@mail.example',
    plan: 'pro',
    country: 'NL',
    appVersion: '2.14.1',
    age: 36,
    tags: 'web',
  },
});

function ofrepEvaluation(userId) {
  const { userId: targetingKey, ...attributes } = evaluation(userId).context;
  return { context: { targetingKey, ...attributes } };
}

const exposure = (splitTestKey, variationKey) => ({
  splitTestKey,
  variationKey,
  sessionId: VISIT,
  timestamp: Date.now(),
  attributes: { country: 'NL', device: 'mobile' },
});

const expose = (variation) =>
  post('/v1/split-testing/expose', PUBLIC_KEY, {
    propertyId: PROPERTY,
    exposures: [exposure('hero', variation), exposure('price', variation)],
  });

const increment = () =>
  post('/v1/goals/increment', SECRET_KEY, {
    propertyId: PROPERTY,
    goalId: 'revenue',
    sessionId: VISIT,
    amount: 49.9,
  });

/** Conversions with unique idempotency keys of the max length. */
export const KEYED_SCRIPTS = () => [
  [
    post(
      '/v1/goals/increment',
      SECRET_KEY,
      { propertyId: PROPERTY, goalId: 'signup' },
      `idempotency-key: ${VISIT.padEnd(255, 'x')}\r\n`,
    ),
  ],
];

const collect = () =>
  post('/v1/sessions/collect', PUBLIC_KEY, {
    propertyId: PROPERTY,
    sessionId: VISIT,
    visitorId: VISITOR,
    events: [
      {
        type: 'pageview',
        url: 'https://shop.example/pricing',
        referrer: 'https://search.example/',
        title: 'Pricing',
      },
    ],
  });

/** Cases compared with bare node:http; `target` is the min ratio of requests per second. */
export const SPEED_CASES = [
  { name: 'config', target: 0.85, writes: false, scripts: () => [[get(CONFIG_PATH, PUBLIC_KEY)]] },
  {
    name: 'expose (2 exposures)',
    target: 0.8,
    writes: true,
    scripts: () => VARIATIONS.map((variation) => [expose(variation)]),
  },
  { name: 'goal increment', target: 0.8, writes: true, scripts: () => [[increment()]] },
  {
    name: 'evaluate (20 flags)',
    target: 0.7,
    writes: false,
    scripts: () => [[post(EVALUATE_PATH, SECRET_KEY, evaluation(VISIT))]],
  },
  {
    name: 'OFREP (20 flags)',
    target: 0.6,
    writes: false,
    scripts: () => [[post(OFREP_PATH, SECRET_KEY, ofrepEvaluation(VISIT))]],
  },
  {
    name: 'evaluate and record (3 of 20 flags)',
    target: 0.2,
    writes: true,
    scripts: () => [[post(EVALUATE_PATH, SECRET_KEY, { ...evaluation(VISIT), record: true })]],
  },
  {
    name: 'flag list (20 flags)',
    target: 0.8,
    writes: false,
    scripts: () => [[get(FLAGS_PATH, SECRET_KEY)]],
  },
];

/** A visit: a page view, two exposures, and a purchase in one of five visits. */
export const VISIT_SCRIPTS = () =>
  Array.from({ length: 5 }, (_, i) => [
    collect(),
    expose(VARIATIONS[i % 2]),
    ...(i === 4 ? [increment()] : []),
  ]);
export const EVENTS_PER_VISIT = 16 / 5;

/** Responses of the real server by path, for the bare server. */
export async function fetchResponses(url) {
  const post = (path, body) => [
    path,
    {
      method: 'POST',
      headers: { 'x-api-key': SECRET_KEY, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    },
  ];
  const requests = [
    [CONFIG_PATH, { headers: { 'x-api-key': PUBLIC_KEY } }],
    [FLAGS_PATH, { headers: { 'x-api-key': SECRET_KEY } }],
    post(EVALUATE_PATH, evaluation('0123456789abcdef')),
    post(OFREP_PATH, ofrepEvaluation('0123456789abcdef')),
  ];
  const responses = {};
  for (const [path, options] of requests) {
    const response = await fetch(url + path, options);
    if (!response.ok) throw new Error(`${path} responded with ${response.status}`);
    responses[path] = await response.text();
  }
  return responses;
}

/** A timed GET request. */
async function timedGet(url, path, key = SECRET_KEY) {
  const startedAt = performance.now();
  const response = await fetch(url + path, { headers: { 'x-api-key': key } });
  const body = await response.json();
  if (!response.ok) throw new Error(`GET ${path} → ${response.status}: ${JSON.stringify(body)}`);
  return { body, milliseconds: performance.now() - startedAt };
}

export const fetchConfig = (url) => timedGet(url, CONFIG_PATH, PUBLIC_KEY);
export const fetchResults = (url) =>
  timedGet(url, `/v1/split-testing/results?propertyId=${PROPERTY}&splitTestKey=hero&fresh=true`);
export const fetchSessions = (url) => timedGet(url, `/v1/sessions?propertyId=${PROPERTY}`);
export const fetchFlagList = (url, key) => fetch(url + FLAGS_PATH, { headers: { 'x-api-key': key } });

/** Counts the flag changes sent on the stream. */
export async function followFlags(url) {
  const abort = new AbortController();
  const { body } = await fetch(`${url}/v1/flags/stream?propertyId=${PROPERTY}`, {
    headers: { 'x-api-key': SECRET_KEY },
    signal: abort.signal,
  });
  const stream = { changes: 0, close: () => abort.abort() };
  const listen = async () => {
    let text = '';
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      stream.changes = text.split('event: change').length - 1;
    }
  };
  listen().catch(() => {});
  return stream;
}

/** The same visit as journal entries, for filling a store directly. */
export function visitEntries(seq, visit, at) {
  const id = (number) =>
    Math.imul(number, 0x85ebca6b).toString(16).replace('-', 'n') + number.toString(16).padStart(8, '0');
  const sessionId = id(visit);
  const common = { propertyId: PROPERTY, receivedAt: at };
  const exposed = (splitTestKey) => ({
    splitTestKey,
    // The same variation for all visits of a visitor.
    variationKey: VARIATIONS[Math.floor(visit / 3) % 2],
    sessionId,
    at,
    attributes: '{"country":"NL","device":"mobile"}',
  });
  const event = {
    type: 'pageview',
    at,
    url: 'https://shop.example/pricing',
    referrer: 'https://search.example/',
    title: 'Pricing',
  };
  const software = { device: 'desktop', browser: 'Firefox', os: 'Linux' };
  const requests = [
    {
      ...common,
      kind: 'collect',
      sessionId,
      visitorId: id(Math.floor(visit / 3) + 0x40000000),
      ...software,
      events: [event],
    },
    { ...common, kind: 'exposures', exposures: [exposed('hero'), exposed('price')] },
  ];
  if (visit % 5 === 4)
    requests.push({
      ...common,
      kind: 'conversion',
      goalId: 'revenue',
      sessionId,
      direction: 1,
      amountMicros: 49_900_000,
    });
  return requests.map((request, i) => ({ seq: seq + i, request }));
}

export const CONVERSIONS = [
  { goalId: 'signup', every: 10 },
  { goalId: 'revenue', every: 20 },
  { goalId: 'upgrade', every: 15 },
];

/** A visitor with one session who sees one test and may reach some of its three goals, as journal entries. */
export function visitorEntries(seq, visitor, at) {
  const sessionId = `s${visitor}`;
  const common = { propertyId: PROPERTY, receivedAt: at };
  const exposure = {
    splitTestKey: 'hero',
    variationKey: VARIATIONS[Math.floor(visitor / 7) % 2],
    sessionId,
    at,
    phase: 1,
  };
  const software = { device: 'desktop', browser: 'Firefox', os: 'Linux' };
  const requests = [
    { ...common, kind: 'collect', sessionId, visitorId: `v${visitor}`, ...software, events: [] },
    { ...common, kind: 'exposures', exposures: [exposure] },
    ...CONVERSIONS.filter(({ every }) => visitor % every === 1).map(({ goalId }) => {
      const amountMicros = goalId === 'revenue' ? 1_000_000 * (1 + (visitor % 97)) : 0;
      return {
        ...common,
        receivedAt: at + 60_000,
        kind: 'conversion',
        goalId,
        sessionId,
        direction: 1,
        amountMicros,
      };
    }),
  ];
  return requests.map((request, i) => ({ seq: seq + i, request }));
}
