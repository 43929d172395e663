import { PUBLIC_KEY, SECRET_KEY } from './sample-property.ts';

export interface Endpoint {
  method: 'GET' | 'POST';
  /** The path in the OpenAPI document. */
  template: string;
  /** The path with its parameters filled in. */
  path: string;
  kind: 'public' | 'secret';
  /** Query and body of a request that succeeds on the sample property. */
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** A field that references an object, and the error code if the object does not exist. */
  reference?: { field: string; code: string };
  /** Also takes the session cookie or access token of a member. */
  members?: true;
  /** Uses the error format of the OpenFeature Remote Evaluation Protocol and takes the property from the key. */
  ofrep?: true;
  /** The response is a stream that never ends. */
  endless?: true;
  /** The response is a CSV file. */
  csv?: true;
}

const inShop = { propertyId: 'shop' };
const feedbackFilter = {
  ...inShop,
  feedbackTypeId: 'nps',
  option: 'good',
  hasMessage: 'true',
  search: 'checkout',
  splitTestKey: 'hero',
  variationKey: 'b',
  sessionId: 's-table',
  visitorId: 'v-table',
  userId: 'u-table',
  status: 'new',
};
const trafficInShop = { ...inShop, from: '1767225600000', to: '1767312000000', page: '/', bots: 'exclude' };

/** Every endpoint of the API. */
export const ENDPOINTS: readonly Endpoint[] = [
  endpoint('GET', '/v1/split-testing/config', 'public', { query: inShop }),
  endpoint('POST', '/v1/split-testing/expose', 'public', {
    body: {
      ...inShop,
      exposures: [
        {
          splitTestKey: 'hero',
          variationKey: 'b',
          sessionId: 's-table',
          timestamp: 1767225600000,
          attributes: { country: 'NL' },
        },
      ],
    },
  }),
  endpoint('GET', '/v1/split-testing/results', 'secret', {
    members: true,
    query: { ...inShop, splitTestKey: 'hero' },
    reference: { field: 'splitTestKey', code: 'split_test_not_found' },
  }),
  endpoint('GET', '/v1/split-testing/results/export', 'secret', {
    members: true,
    query: { ...inShop, splitTestKey: 'hero', format: 'bundle' },
    reference: { field: 'splitTestKey', code: 'split_test_not_found' },
  }),
  endpoint('GET', '/v1/split-testing/plan', 'secret', {
    members: true,
    query: { ...inShop, goalId: 'signup', smallestEffect: '0.1' },
    reference: { field: 'goalId', code: 'goal_not_found' },
  }),
  endpoint('GET', '/v1/split-testing/aa-test', 'secret', { members: true, query: inShop }),
  endpoint('GET', '/v1/split-testing/holdout', 'secret', { members: true, query: inShop }),
  endpoint('POST', '/v1/flags/evaluate', 'secret', {
    body: {
      ...inShop,
      environment: 'production',
      context: { userId: 'u-42', sessionId: 's-table' },
      flagKeys: ['banner'],
    },
    reference: { field: 'environment', code: 'environment_not_found' },
  }),
  endpoint('GET', '/v1/flags/list', 'secret', { members: true, query: inShop }),
  endpoint('GET', '/v1/flags/segments', 'secret', { members: true, query: inShop }),
  endpoint('GET', '/v1/flags/usage', 'secret', { members: true, query: { ...inShop, flagKey: 'banner' } }),
  endpoint('POST', '/v1/flags/usage', 'secret', {
    body: {
      ...inShop,
      environment: 'production',
      counts: [{ flagKey: 'banner', value: 'spring', count: 3, lastAt: 1767225600000 }],
    },
    reference: { field: 'environment', code: 'environment_not_found' },
  }),
  endpoint('GET', '/v1/keys/public', 'secret', { query: inShop }),
  endpoint('GET', '/v1/flags/stream', 'secret', { query: inShop, endless: true }),
  endpoint('POST', '/ofrep/v1/evaluate/flags/{key}', 'secret', {
    path: '/ofrep/v1/evaluate/flags/banner',
    body: { context: { targetingKey: 'u-42', plan: 'pro' } },
    ofrep: true,
  }),
  endpoint('POST', '/ofrep/v1/evaluate/flags', 'secret', {
    body: { context: { targetingKey: 'u-42', plan: 'pro' } },
    ofrep: true,
  }),
  endpoint('POST', '/v1/goals/increment', 'secret', {
    body: { ...inShop, goalId: 'revenue', sessionId: 's-table', amount: 49.9, metadata: { plan: 'pro' } },
    reference: { field: 'goalId', code: 'goal_not_found' },
  }),
  endpoint('POST', '/v1/goals/decrement', 'secret', {
    body: {
      ...inShop,
      goalId: 'revenue',
      sessionId: 's-table',
      amount: 49.9,
      metadata: { reason: 'refund' },
    },
    reference: { field: 'goalId', code: 'goal_not_found' },
  }),
  endpoint('GET', '/v1/goals/progress', 'secret', {
    members: true,
    query: { ...inShop, goalId: 'signup', from: '1767225600000', to: '1767312000000', interval: 'day' },
    reference: { field: 'goalId', code: 'goal_not_found' },
  }),
  endpoint('GET', '/v1/goals/conversions', 'secret', {
    members: true,
    query: {
      ...inShop,
      goalId: 'revenue',
      type: 'increment',
      sessionId: 's-table',
      visitorId: 'v-table',
      userId: 'u-table',
      from: '0',
      to: '4102444800000',
      limit: '5',
    },
    reference: { field: 'goalId', code: 'goal_not_found' },
  }),
  endpoint('POST', '/v1/feedback/submit', 'secret', {
    body: {
      ...inShop,
      feedbackTypeId: 'nps',
      sessionId: 's-table',
      option: 'good',
      message: 'Fast checkout',
      metadata: { page: '/checkout' },
    },
    reference: { field: 'feedbackTypeId', code: 'feedback_type_not_found' },
  }),
  endpoint('GET', '/v1/feedback', 'secret', {
    members: true,
    query: { ...feedbackFilter, from: '0', to: '4102444800000', limit: '5' },
    reference: { field: 'feedbackTypeId', code: 'feedback_type_not_found' },
  }),
  endpoint('GET', '/v1/feedback/summary', 'secret', {
    members: true,
    query: { ...feedbackFilter, from: '1767225600000', to: '1767312000000', interval: 'hour' },
    reference: { field: 'feedbackTypeId', code: 'feedback_type_not_found' },
  }),
  endpoint('GET', '/v1/feedback/export', 'secret', {
    members: true,
    query: { ...feedbackFilter, from: '0', to: '4102444800000', format: 'csv' },
    reference: { field: 'splitTestKey', code: 'split_test_not_found' },
    csv: true,
  }),
  endpoint('POST', '/v1/sessions/daily-identity', 'public', { body: { ...inShop } }),
  endpoint('POST', '/v1/sessions/collect', 'public', {
    body: {
      ...inShop,
      sessionId: 's-table',
      visitorId: 'v-table',
      userId: 'u-table',
      attributes: { plan: 'trial' },
      events: [
        {
          type: 'pageview',
          name: 'home',
          url: 'https://shop.example/',
          referrer: 'https://search.example/',
          title: 'Shop',
          timestamp: 1767225600000,
          properties: { depth: 1 },
        },
      ],
    },
  }),
  endpoint('GET', '/v1/sessions', 'secret', {
    members: true,
    query: {
      ...inShop,
      from: '0',
      to: '4102444800000',
      visitorId: 'v-table',
      userId: 'u-table',
      country: 'NL',
      device: 'desktop',
      browser: 'Firefox',
      os: 'Linux',
      page: '/',
      bots: 'exclude',
      splitTestKey: 'hero',
      variationKey: 'b',
      phase: '1',
      multipleVariations: 'false',
      goalId: 'signup',
      converted: 'false',
      hasFeedback: 'true',
      feedbackTypeId: 'nps',
      limit: '5',
    },
    reference: { field: 'goalId', code: 'goal_not_found' },
  }),
  endpoint('GET', '/v1/sessions/{sessionId}', 'secret', {
    members: true,
    path: '/v1/sessions/s-table',
    query: { ...inShop, limit: '5' },
  }),
  endpoint('GET', '/v1/traffic/summary', 'secret', { members: true, query: trafficInShop }),
  endpoint('GET', '/v1/traffic/series', 'secret', {
    members: true,
    query: { ...trafficInShop, interval: 'day' },
  }),
  endpoint('GET', '/v1/traffic/breakdown', 'secret', {
    members: true,
    query: { ...trafficInShop, by: 'page', limit: '5' },
  }),
  endpoint('GET', '/v1/traffic/live', 'secret', { members: true, query: inShop }),
  endpoint('GET', '/v1/traffic/received', 'secret', { members: true, query: inShop }),
];

function endpoint(
  method: Endpoint['method'],
  template: string,
  kind: Endpoint['kind'],
  rest: Partial<Endpoint>,
): Endpoint {
  return { method, template, path: template, kind, ...rest };
}

export const nameOf = ({ method, template }: Endpoint): string => `${method} ${template}`;

export const keyFor = ({ kind }: Endpoint): string => (kind === 'public' ? PUBLIC_KEY : SECRET_KEY);

export const withQuery = (path: string, query: Record<string, string> = {}): string => {
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
};
