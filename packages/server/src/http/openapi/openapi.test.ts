import { ENDPOINTS, type Endpoint, nameOf, withQuery } from '@switchyard/testing/fixtures/endpoints';
import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '../../platform/errors/errors.ts';

let shop: Shop;
let document: TestResponse['body'];
beforeAll(async () => {
  shop = await openShop();
  document = (await shop.server.call('GET', '/openapi.json')).body;
});
afterAll(() => closeShop(shop));

const rows = ENDPOINTS.map((endpoint) => ({ name: nameOf(endpoint), endpoint }));
const operation = ({ method, template }: Endpoint) => document.paths[template]?.[method.toLowerCase()];

describe('the document', () => {
  it('is OpenAPI 3.1 with a title, a version and both kinds of key', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info).toMatchObject({
      title: 'Switchyard',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    for (const scheme of ['publicKey', 'secretKey']) {
      expect(document.components.securitySchemes[scheme]).toMatchObject({
        type: 'apiKey',
        in: 'header',
        name: 'x-api-key',
      });
    }
  });

  const described = () =>
    Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );

  it('describes every endpoint, and otherwise only management and routes without a key', () => {
    const operations = ['GET /healthz', 'GET /metrics', 'GET /readyz'];
    const others = described().filter(
      (name) => !name.includes(' /v1/manage/') && !rows.some((row) => row.name === name),
    );
    expect(described()).toEqual(expect.arrayContaining(rows.map(({ name }) => name)));
    expect(operations).toEqual(expect.arrayContaining(others));
  });

  it('describes no route that does not exist', async () => {
    for (const name of described()) {
      const [method, template] = name.split(' ') as [string, string];
      const response = await shop.server.call(
        method,
        template.replaceAll(/\{\w+\}/g, 'x'),
        method === 'POST' ? { body: {} } : {},
      );
      expect([name, response.status]).not.toEqual([name, 404]);
      expect([name, response.status]).not.toEqual([name, 405]);
    }
  });

  const operations = (): TestResponse['body'][] =>
    Object.values<object>(document.paths).flatMap((methods) => Object.values(methods));

  it('gives each operation a unique, readable id for generated clients', () => {
    const ids = operations().map(({ operationId }) => operationId);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(
      expect.arrayContaining(['getSplitTestingConfig', 'postGoalsIncrement', 'getSession']),
    );
  });

  it('describes conditional requests and 304 responses', () => {
    const conditional = operations().filter(({ responses }) => responses[304] !== undefined);
    expect(conditional.length).toBeGreaterThanOrEqual(4);
    for (const { parameters, responses } of conditional) {
      expect(parameters.filter(({ name }: { name: string }) => name === 'if-none-match')).toEqual([
        expect.objectContaining({ in: 'header', schema: { type: 'string' } }),
      ]);
      expect(responses[304].headers).toHaveProperty('etag');
    }
  });

  it('expresses in plain JSON Schema that feedback needs an option or a message', () => {
    const { schema } = document.paths['/v1/feedback/submit'].post.requestBody.content['application/json'];
    const validate = compile(schema.$ref);
    const feedback = { propertyId: 'shop', feedbackTypeId: 'nps' };
    expect(validate(feedback)).toBe(false);
    expect(validate({ ...feedback, option: 'good' })).toBe(true);
    expect(validate({ ...feedback, message: 'Fast' })).toBe(true);
  });

  it('has valid examples of errors', () => {
    const { examples } = document.components.schemas.Problem;
    expect(examples).not.toHaveLength(0);
    const validate = compile('#/components/schemas/Problem');
    for (const example of examples) {
      expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
      expect(ERRORS).toHaveProperty(example.error.code);
    }
  });

  it('lists every `error.code`', () => {
    expect(resolve('#/components/schemas/Problem/properties/error/properties/code')).toMatchObject({
      type: 'string',
      enum: Object.keys(ERRORS),
    });
  });

  it('declares no security on open endpoints', () => {
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect(document.paths[path].get.security).toEqual([]);
  });

  it('names every object schema, so that generated clients have readable types', () => {
    const names = Object.keys(document.components.schemas);
    for (const name of names) expect(name).toMatch(/^[A-Z][A-Za-z]+$/);
    expect(names).toEqual(
      expect.arrayContaining([
        'Session',
        'SessionDetail',
        'SplitTestResults',
        'Flag',
        'FlagConfiguration',
        'GoalProgress',
        'FeedbackEntry',
        'Problem',
        'ErrorCode',
        'ExposeBody',
        'CollectBody',
        'IncrementBody',
      ]),
    );
    const anonymous = [...objectSchemas(document)].filter(
      (place) => !/^#\/components\/schemas\/\w+$/.test(place),
    );
    expect(anonymous).toEqual([]);
  });

  it('has no dangling references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, target]) => target!,
    );
    expect(references.length).toBeGreaterThan(0);
    for (const reference of new Set(references)) {
      expect(reference).toMatch(/^#\//);
      expect([reference, resolve(reference)]).toEqual([reference, expect.anything()]);
    }
  });
});

/** The value at a JSON pointer of the document; follows references on the way. */
function resolve(reference: string): TestResponse['body'] {
  const names = reference
    .slice(2)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce<TestResponse['body']>((node, name) => dereferenced(node?.[name]), document);
}

const dereferenced = (node: TestResponse['body']) => (node?.$ref === undefined ? node : resolve(node.$ref));

function compile(reference: string) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  return ajv.addSchema(document, 'openapi.json').compile({ $ref: `openapi.json${reference}` });
}

/** Pointers of all object schemas with properties. */
function* objectSchemas(node: TestResponse['body'], place = '#'): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  if (typeof node.properties === 'object' && node.$ref === undefined && node.type === 'object') yield place;
  for (const [name, child] of Object.entries(node)) {
    if (!/^examples?$/.test(name)) yield* objectSchemas(child, `${place}/${name}`);
  }
}

/** Statuses of all endpoints, and additional statuses of endpoints with a body. */
const ALWAYS = [400, 401, 403, 429, 500];
const WITH_BODY = [413, 415];

describe('each operation', () => {
  it.each(rows)('$name: has a summary, a tag, security and all responses', ({ endpoint }) => {
    const found = operation(endpoint);
    expect(found.summary).toMatch(/\S/);
    expect(found.tags).toHaveLength(1);
    expect(found.security).toEqual([
      { [`${endpoint.kind}Key`]: [] },
      ...(endpoint.kind === 'public' ? [{ publicKeyInQuery: [] }] : []),
      ...(endpoint.ofrep ? [{ bearerKey: [] }] : []),
      ...(endpoint.members ? [{ sessionCookie: [] }, { accessToken: [] }] : []),
    ]);
    const statuses = Object.keys(found.responses).map(Number);
    expect(statuses).toEqual(expect.arrayContaining([200, ...ALWAYS, ...(endpoint.body ? WITH_BODY : [])]));
    for (const [status, response] of Object.entries<TestResponse['body']>(found.responses)) {
      expect([status, response.description]).toEqual([status, expect.stringMatching(/\S/)]);
      if (Number(status) < 400 || (endpoint.ofrep && [400, 404].includes(Number(status)))) continue;
      expect(Object.keys(response.content)).toEqual(['application/problem+json']);
    }
  });

  it.each(rows)('$name: describes its parameters and body', ({ endpoint }) => {
    const { parameters = [], requestBody } = operation(endpoint);
    const inQuery = parameters.filter(({ in: place }: TestResponse['body']) => place === 'query');
    const names = inQuery.map(({ name }: TestResponse['body']) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(endpoint.query ?? {})));
    const required = parameters.filter((parameter: TestResponse['body']) => parameter.required);
    const inPath = [...endpoint.template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const propertyIn = endpoint.query === undefined ? [] : ['propertyId'];
    expect(required.map(({ name }: TestResponse['body']) => name)).toEqual(
      expect.arrayContaining([...inPath, ...propertyIn]),
    );
    if (endpoint.body === undefined) return expect(requestBody).toBeUndefined();
    const schema = dereferenced(requestBody.content['application/json'].schema);
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(endpoint.body)));
    if (!endpoint.ofrep) expect(schema.required).toContain('propertyId');
  });

  it.each(rows)('$name: exists', async ({ endpoint }) => {
    const { method, path, query, body } = endpoint;
    const response = await shop.server.call(method, withQuery(path, query), { body });
    expect(response.status).toBe(401);
  });
});

/** Error codes of each endpoint in addition to the common ones. */
const CODES: Record<string, ErrorCode[]> = {
  'GET /v1/split-testing/config': ['wrong_property', 'origin_not_allowed'],
  'POST /v1/split-testing/expose': [
    'wrong_property',
    'origin_not_allowed',
    'split_test_not_found',
    'idempotency_key_reused',
    'overloaded',
  ],
  'GET /v1/split-testing/results': ['wrong_property', 'split_test_not_found', 'storage_damaged'],
  'GET /v1/split-testing/results/export': ['wrong_property', 'split_test_not_found', 'storage_damaged'],
  'GET /v1/split-testing/plan': ['wrong_property', 'goal_not_found', 'storage_damaged'],
  'GET /v1/split-testing/aa-test': ['wrong_property'],
  'GET /v1/split-testing/holdout': ['wrong_property', 'storage_damaged'],
  'GET /v1/split-testing/library': ['wrong_property', 'storage_damaged'],
  'GET /v1/split-testing/overlap': ['wrong_property', 'split_test_not_found', 'storage_damaged'],
  'GET /v1/flags/results': ['wrong_property', 'environment_not_found', 'not_found', 'storage_damaged'],
  'GET /v1/flags/results/export': ['wrong_property', 'environment_not_found', 'not_found', 'storage_damaged'],
  'GET /v1/flags/overlap': ['wrong_property', 'environment_not_found', 'not_found', 'storage_damaged'],
  'GET /v1/flags/rollout': ['wrong_property', 'environment_not_found', 'not_found', 'storage_damaged'],
  'POST /v1/flags/evaluate': ['wrong_property', 'environment_not_found', 'storage_damaged'],
  'GET /v1/flags/list': ['wrong_property'],
  'GET /v1/flags/segments': ['wrong_property'],
  'GET /v1/flags/usage': ['wrong_property'],
  'POST /v1/flags/usage': ['wrong_property', 'environment_not_found', 'overloaded'],
  'GET /v1/keys/public': ['wrong_property', 'not_found'],
  'GET /v1/flags/stream': ['wrong_property'],
  'POST /v1/goals/increment': [
    'amount_required',
    'amount_not_positive',
    'wrong_property',
    'goal_not_found',
    'idempotency_key_reused',
    'overloaded',
  ],
  'POST /v1/goals/decrement': [
    'amount_required',
    'amount_not_positive',
    'wrong_property',
    'goal_not_found',
    'idempotency_key_reused',
    'overloaded',
  ],
  'GET /v1/goals/progress': ['wrong_property', 'goal_not_found', 'storage_damaged'],
  'GET /v1/goals/conversions': ['wrong_property', 'goal_not_found', 'storage_damaged'],
  'POST /v1/feedback/submit': [
    'feedback_empty',
    'option_not_allowed',
    'message_not_allowed',
    'wrong_property',
    'feedback_type_not_found',
    'idempotency_key_reused',
    'overloaded',
  ],
  ...Object.fromEntries(
    ['/v1/feedback', '/v1/feedback/summary', '/v1/feedback/export'].map((path) => [
      `GET ${path}`,
      ['wrong_property', 'feedback_type_not_found', 'split_test_not_found', 'storage_damaged'],
    ]),
  ),
  'GET /v1/metrics/preview': ['wrong_property', 'not_found', 'overloaded', 'storage_damaged'],
  'POST /v1/sessions/daily-identity': ['wrong_property', 'origin_not_allowed'],
  'POST /v1/sessions/collect': [
    'wrong_property',
    'origin_not_allowed',
    'idempotency_key_reused',
    'overloaded',
  ],
  'GET /v1/sessions': [
    'wrong_property',
    'split_test_not_found',
    'goal_not_found',
    'feedback_type_not_found',
    'storage_damaged',
  ],
  'GET /v1/sessions/{sessionId}': ['wrong_property', 'not_found', 'storage_damaged'],
  'GET /v1/traffic/summary': ['wrong_property', 'overloaded', 'storage_damaged'],
  'GET /v1/traffic/series': ['wrong_property', 'overloaded', 'storage_damaged'],
  'GET /v1/traffic/breakdown': ['wrong_property', 'overloaded', 'storage_damaged'],
  'GET /v1/traffic/live': ['wrong_property', 'overloaded', 'storage_damaged'],
  'GET /v1/traffic/received': ['wrong_property', 'overloaded', 'storage_damaged'],
};
const COMMON: ErrorCode[] = [
  'invalid_request',
  'api_key_missing',
  'api_key_invalid',
  'wrong_key_kind',
  'rate_limited',
  'internal_error',
];
const COMMON_WITH_BODY: ErrorCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type'];

describe('errors', () => {
  it.each(rows.filter(({ endpoint }) => !endpoint.ofrep))(
    '$name: lists every error code',
    ({ name, endpoint }) => {
      const codes = [...CODES[name]!, ...COMMON, ...(endpoint.body ? COMMON_WITH_BODY : [])];
      for (const code of codes) {
        const { description } = operation(endpoint).responses[ERRORS[code].status];
        expect([code, description]).toEqual([code, expect.stringContaining(`\`${code}\``)]);
      }
    },
  );
});

describe('limits are documented', () => {
  const body = (path: string) =>
    `/paths/${path.replaceAll('/', '~1')}/post/requestBody/content/application~1json/schema/properties`;
  const limits: [string, unknown][] = [
    [`${body('/v1/split-testing/expose')}/exposures/minItems`, 1],
    [`${body('/v1/split-testing/expose')}/exposures/maxItems`, 500],
    [`${body('/v1/split-testing/expose')}/exposures/items/properties/attributes/x-max-json-bytes`, 8192],
    [`${body('/v1/goals/increment')}/sessionId/pattern`, '^[A-Za-z0-9-]{1,128}$'],
    [`${body('/v1/goals/increment')}/metadata/maxProperties`, 5],
    [`${body('/v1/goals/increment')}/metadata/propertyNames/maxLength`, 256],
    [`${body('/v1/goals/increment')}/metadata/additionalProperties/maxLength`, 256],
    [`${body('/v1/goals/increment')}/amount/minimum`, 0],
    [`${body('/v1/goals/decrement')}/sessionId/pattern`, '^[A-Za-z0-9-]{1,128}$'],
    [`${body('/v1/goals/decrement')}/metadata/maxProperties`, 5],
    [`${body('/v1/goals/decrement')}/amount/exclusiveMinimum`, 0],
    [`${body('/v1/feedback/submit')}/sessionId/maxLength`, 500],
    [`${body('/v1/feedback/submit')}/message/maxLength`, 5000],
    [`${body('/v1/feedback/submit')}/metadata/maxProperties`, 20],
    [`${body('/v1/feedback/submit')}/metadata/propertyNames/maxLength`, 256],
    [`${body('/v1/feedback/submit')}/metadata/additionalProperties/maxLength`, 1024],
  ];
  it.each(limits)('%s is %s', (pointer, value) => {
    expect(resolve(`#${pointer}`)).toBe(value);
  });

  it.each(['/v1/sessions', '/v1/feedback', '/v1/goals/conversions'])(
    '%s: a page has 1 to 500 entries, 50 by default',
    (path) => {
      const limit = document.paths[path].get.parameters.find(
        ({ name }: TestResponse['body']) => name === 'limit',
      );
      expect(limit.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 500, default: 50 });
    },
  );

  it.each(['/v1/goals/increment', '/v1/goals/decrement', '/v1/feedback/submit'])(
    '%s: an idempotency key has 1 to 255 characters',
    (path) => {
      const header = document.paths[path].post.parameters.find(
        ({ name }: TestResponse['body']) => name === 'idempotency-key',
      );
      expect(header).toMatchObject({
        in: 'header',
        schema: { type: 'string', minLength: 1, maxLength: 255 },
      });
      expect(header.required ?? false).toBe(false);
    },
  );
});

/** A schema, or a parameter or media type with a schema, and its examples. */
interface SchemaExamples {
  /** JSON pointer of the schema. */
  pointer: string;
  examples: unknown[];
}

function* schemaExamples(node: TestResponse['body'], pointer = '#'): Generator<SchemaExamples> {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node.examples)) yield { pointer, examples: node.examples };
  else if ('schema' in node) yield { pointer: `${pointer}/schema`, examples: examplesOf(node) };
  for (const [name, child] of Object.entries(node)) {
    if (/^examples?$/.test(name)) continue;
    yield* schemaExamples(child, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

function examplesOf({ example, examples = {} }: TestResponse['body']): unknown[] {
  const named = Object.values<{ value: unknown }>(examples).map(({ value }) => value);
  return example === undefined ? named : [example, ...named];
}

describe('examples', () => {
  it('validate against their schemas', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    ajv.addSchema(document, 'openapi.json');
    const found = [...schemaExamples(document)].filter(({ examples }) => examples.length > 0);
    expect(found.length).toBeGreaterThan(30);
    for (const { pointer, examples } of found) {
      const validate = ajv.compile({ $ref: `openapi.json${encodeURI(pointer)}` });
      for (const example of examples) {
        const valid = validate(example);
        expect([pointer, valid, ajv.errorsText(validate.errors)]).toEqual([pointer, true, 'No errors']);
      }
    }
  });

  it.each(rows)('$name: the body and the response have an example', ({ endpoint }) => {
    const { requestBody, responses } = operation(endpoint);
    if (endpoint.body) expect(examplesOf(requestBody.content['application/json'])).not.toEqual([]);
    if (!endpoint.endless && !endpoint.csv)
      expect(examplesOf(responses[200].content['application/json'])).not.toEqual([]);
  });

  const withBody = rows.filter(({ endpoint }) => endpoint.body);
  it.each(withBody)('$name: the server accepts the example of the body', async ({ endpoint }) => {
    const [example] = examplesOf(operation(endpoint).requestBody.content['application/json']);
    const send = endpoint.kind === 'public' ? shop.browse.bind(shop) : shop.post.bind(shop);
    const response = await send(endpoint.path, example);
    expect(response.status, response.text).toBe(200);
  });
});
