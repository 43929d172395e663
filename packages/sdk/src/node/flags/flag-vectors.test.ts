import vectors from '@switchyard/core/cases/flags.json' with { type: 'json' };
import { checkFlags } from '@switchyard/core/evaluation/flag-checks';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createSwitchyard, type FlagContext } from '../node.ts';
import { compileState, type FlagList } from './flag-state.ts';
import { compileRuleRegex } from './rule-regex.ts';

const SEED = Number(process.env.SEED ?? 20_261_115);

type Checkable = Parameters<typeof checkFlags>[0];
type Segments = Checkable['segments'];

interface Configuration {
  enabled: boolean;
  value: boolean | string;
  rules: unknown[];
  prerequisites?: unknown[];
}

interface Flag {
  key: string;
  type: 'boolean' | 'string';
  format?: 'number' | 'json';
  defaultValue: boolean | string;
  configuration?: Configuration;
}

interface Case {
  name: string;
  flags: Flag[];
  segments: unknown[];
  key: string;
  context: FlagContext;
  expected: { value: boolean | string; reason: string; ruleId?: string; variant?: string } | null;
}

const conditionCases: Case[] = (
  vectors.conditions as unknown as { name: string; condition: object; context: object; matches: boolean }[]
).map(({ name, condition, context, matches }) => ({
  name,
  flags: [
    {
      key: 'f',
      type: 'boolean',
      defaultValue: false,
      configuration: {
        enabled: true,
        value: false,
        rules: [{ id: 'r1', conditions: [condition], value: true }],
        prerequisites: [],
      },
    },
  ],
  segments: [],
  key: 'f',
  context: context as FlagContext,
  expected: matches
    ? { value: true, reason: 'TARGETING_MATCH', ruleId: 'r1' }
    : { value: false, reason: 'DEFAULT' },
}));
const cases = [...conditionCases, ...(vectors.evaluations as unknown as Case[])];

/** In the format of `GET /v1/flags/list`. */
function listOf(flags: readonly Flag[]): FlagList {
  return {
    flags: flags.map(({ configuration: _, ...flag }, index) => ({ ...flag, id: `flg_${index}` })),
    configs: flags.flatMap(({ configuration }, index) =>
      configuration ? [{ ...configuration, flagId: `flg_${index}`, environmentId: 'production' }] : [],
    ) as unknown as FlagList['configs'],
  };
}

describe('flag evaluation vectors', () => {
  it.each(cases)('$name', ({ flags, segments, key, context, expected }) => {
    const evaluation = compileState(listOf(flags), segments, 'production').evaluate(key, context);
    if (expected === null) return expect(evaluation).toBeUndefined();
    const { value, reason, ruleId, variant } = expected;
    return expect(evaluation).toMatchObject(JSON.parse(JSON.stringify({ value, reason, ruleId, variant })));
  });
});

interface Scenario {
  flags: Flag[];
  segments: unknown[];
}

const withEnvironments = (flags: readonly Flag[]) =>
  flags.map(({ key, type, format, defaultValue, configuration }) => ({
    key,
    type,
    ...(format && { format }),
    defaultValue,
    environments: configuration ? { production: configuration } : {},
  }));

/** The service does not accept some of the vectors: cycles, unknown segments, invalid dates, odd keys. */
const isSavable = ({ flags, segments }: Scenario): boolean =>
  flags.every(({ key }) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(key)) &&
  checkFlags({ flags: withEnvironments(flags), segments } as unknown as Checkable, {
    regex: compileRuleRegex,
    schemaComplaint: () => undefined,
  }).length === 0;

const keyOf = (id: string) => `service_sec_0123456789abcdef-${id}`;

const provisioned = ({ flags, segments }: Scenario, id: string) => ({
  id,
  apiKeys: [{ kind: 'secret', name: 'backend', key: keyOf(id) }],
  segments: segments as Segments,
  flags: withEnvironments(flags).map((flag) => ({ name: flag.key, ...flag })),
});

let server: TestServer | undefined;
afterAll(() => discard(server));

/** The evaluations of the SDK and of the service, in the same format. */
async function evaluateBoth(propertyId: string, contexts: readonly FlagContext[]) {
  const apiUrl = server!.url;
  const connection = { apiUrl, secretApiKey: keyOf(propertyId), propertyId, timeoutMs: 60_000 };
  const local = createSwitchyard({ ...connection, stream: false });
  const remote = createSwitchyard({ ...connection, evaluation: 'remote' });
  expect(await local.ready(), propertyId).toEqual({ success: true });
  const results = await Promise.all(
    contexts.map(async (context) => ({
      local: await local.flags.evaluate(context),
      remote: await remote.flags.evaluate(context),
    })),
  );
  await Promise.all([local.close(), remote.close()]);
  return results;
}

const texts = fc.constantFrom('a', 'A', 'b', '5', '4.5', '1.2.3', '1.3.0-beta', '2026-01-01', 'ä', '');
const numbers = fc.constantFrom(0, 5, -3, 4.5, 1e21);
const values = fc.oneof(texts, numbers, fc.boolean());
const attributes = fc.constantFrom('a', 'b', 'email', 'userId', 'version', 'toString');
const SEGMENTS = ['s0', 's1', 's2'];

const textual = fc.record(
  {
    attribute: attributes,
    operator: fc.constantFrom('equals', 'notEquals', 'in', 'notIn', 'contains', 'startsWith', 'endsWith'),
    values: fc.array(values, { minLength: 1, maxLength: 3 }),
    negate: fc.boolean(),
    caseInsensitive: fc.boolean(),
  },
  { requiredKeys: ['attribute', 'operator', 'values'] },
);
const typed = fc.oneof(
  fc.tuple(fc.constantFrom('lessThan', 'greaterThanOrEqual'), numbers),
  fc.tuple(fc.constantFrom('before', 'after'), fc.constantFrom('2026-01-01', '2026-06-01T12:00:00Z')),
  fc.tuple(
    fc.constantFrom('semverEqual', 'semverLessThan', 'semverGreaterThanOrEqual'),
    fc.constant('1.2.3'),
  ),
  fc.tuple(fc.constant('matches'), fc.constantFrom('^a', '\\d+', '(a|b)$', '[[:alpha:]]')),
);
const condition = fc.oneof(
  textual,
  fc.tuple(attributes, typed, fc.boolean()).map(([attribute, [operator, value], negate]) => ({
    attribute,
    operator,
    values: [value],
    negate,
  })),
  fc.record({ attribute: attributes, operator: fc.constantFrom('isSet', 'isNotSet') }),
  fc.record({
    operator: fc.constant('inSegment'),
    values: fc.array(fc.constantFrom(...SEGMENTS), { minLength: 1, maxLength: 2 }),
    negate: fc.boolean(),
  }),
);
const match = fc.constantFrom('all', 'any');
const rollout = fc.record(
  { percentage: fc.constantFrom(0, 0.5, 20, 50, 99.9, 100), by: attributes, salt: fc.constantFrom('x', 'y') },
  { requiredKeys: ['percentage'] },
);
/** The service refuses splits without any weight. */
const splitOf = (value: fc.Arbitrary<boolean | string>) =>
  fc
    .array(fc.tuple(value, fc.constantFrom(0, 0, 0.5, 1, 3, 70), fc.boolean()), {
      minLength: 2,
      maxLength: 4,
    })
    .map((entries) =>
      entries.map(([each, weight, isNamed], index) => ({
        value: each,
        weight: index === 1 ? weight + 1 : weight,
        ...(isNamed && { key: `key-${index}` }),
      })),
    );
const rule = (value: fc.Arbitrary<boolean | string>) =>
  fc
    .tuple(
      fc.record(
        { match, conditions: fc.array(condition, { maxLength: 3 }), rollout, enabled: fc.boolean() },
        { requiredKeys: [] },
      ),
      fc.oneof(fc.record({ value }), fc.record({ split: splitOf(value) })),
    )
    .map(([common, served]) => ({ ...common, ...served }));
const configuration = (value: fc.Arbitrary<boolean | string>) =>
  fc.record({
    enabled: fc.constantFrom(true, true, true, false),
    value,
    rules: fc
      .array(rule(value), { maxLength: 4 })
      .map((rules) => rules.map((each, index) => ({ id: `r${index}`, ...each }))),
  });
const numberTexts = fc.constantFrom('0', '12.50', '-3e2', '0.1');
const jsonTexts = fc.constantFrom('{"a": [1, null, {"b": "ä"}]}', '[]', '"text"', '5', 'false', 'null');
const flagOf = (definition: Pick<Flag, 'type' | 'format'>, value: fc.Arbitrary<boolean | string>) =>
  fc.tuple(fc.constant(definition), value, configuration(value));
const flag = fc.oneof(
  flagOf({ type: 'boolean' }, fc.boolean()),
  flagOf({ type: 'string' }, texts),
  flagOf({ type: 'string', format: 'number' }, numberTexts),
  flagOf({ type: 'string', format: 'json' }, jsonTexts),
);
const scenario: fc.Arbitrary<Scenario> = fc
  .tuple(
    fc.array(flag, { minLength: 1, maxLength: 8 }),
    fc.array(fc.oneof(textual, fc.record({ attribute: attributes, operator: fc.constant('isSet') })), {
      minLength: 3,
      maxLength: 3,
    }),
  )
  .map(([flags, conditions]) => ({
    flags: flags.map(([definition, defaultValue, config], index) => {
      const before = flags[index - 2];
      const prerequisites = before ? [{ flag: `f${index - 2}`, value: before[2].value }] : [];
      return { key: `f${index}`, ...definition, defaultValue, configuration: { ...config, prerequisites } };
    }),
    segments: SEGMENTS.map((id, index) => ({ id, match: 'any', conditions: [conditions[index]] })),
  }));
const context = fc
  .array(fc.tuple(attributes, fc.oneof(values, fc.constant(null), fc.array(values, { maxLength: 3 }))))

  .map(
    (members) =>
      JSON.parse(
        `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`,
      ) as FlagContext,
  );

/** What the random scenarios must contain to be worth comparing. */
function coverageOf(results: readonly unknown[]): object {
  const text = JSON.stringify(results);
  return {
    keys: text.includes('"variant":"key-'),
    positions: /"variant":"\d"/.test(text),
    numbers: text.includes('"value":12.5,'),
    objects: text.includes('"value":{"a":[1,null,{"b":"ä"}]}'),
  };
}

describe(`compared with the service (seed ${SEED})`, () => {
  it('gives the same results as POST /v1/flags/evaluate, for the vectors and for random flags and contexts', async () => {
    const savable = cases.filter(isSavable);
    expect(savable.length).toBeGreaterThan(200);
    const scenarios = fc.sample(scenario, { seed: SEED, numRuns: 20 }).filter(isSavable);
    expect(scenarios.length).toBeGreaterThan(10);
    const properties = [
      ...savable.map((each, index) => provisioned(each, `vector-${index}`)),
      ...scenarios.map((each, index) => provisioned(each, `random-${index}`)),
    ];
    server = await startServer({ provision: { properties } });
    for (const [index, { context: vectorContext, name }] of savable.entries()) {
      const [result] = await evaluateBoth(`vector-${index}`, [vectorContext]);
      expect(result!.local, name).toEqual(result!.remote);
    }
    const compared: unknown[] = [];
    for (const index of scenarios.keys()) {
      const contexts = fc.sample(context, { seed: SEED + index, numRuns: 25 });
      for (const [number, { local, remote }] of (await evaluateBoth(`random-${index}`, contexts)).entries()) {
        expect(local, `scenario ${index}, context ${JSON.stringify(contexts[number])}`).toEqual(remote);
        compared.push(local);
      }
    }
    expect(coverageOf(compared)).toEqual({ keys: true, positions: true, numbers: true, objects: true });
  });
});
