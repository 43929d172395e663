import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProvisionedProperty, ProvisionFile } from '@switchyard/core/api/provisioning';
import { provisioningOf } from '@switchyard/testing/configuration/provision-database';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Database } from '../../configuration/database/database.ts';
import { openDatabase } from '../../configuration/database/open-database.ts';
import { configurationModel as model } from '../../start/definitions.ts';
import { DEMO_FILE } from './demo-property.ts';
import { applyProvision } from './provision-apply.ts';
import { exportConfiguration, formatJson, formatYaml } from './provision-export.ts';
import { type ProvisionSource, provisionObject, readProvisionText } from './provision-file.ts';

async function inEmptyDirectory<T>(run: (database: Database) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-export-'));
  const handle = await openDatabase(dataDir);
  try {
    return await run(handle.database);
  } finally {
    await handle.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const applied = (source: ProvisionSource) =>
  inEmptyDirectory(async (database) => {
    await applyProvision(provisioningOf(database), source);
    return exportConfiguration(database, model);
  });

const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/);
const line = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 30 })
  .map((text) => text.replaceAll(/[\p{Cc}\p{Cs}]/gu, ' '));
const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((value) => !/\p{Cs}/u.test(value));
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const unique = <T>(arbitrary: fc.Arbitrary<T>, selector: (value: T) => string) =>
  fc.uniqueArray(arbitrary, { selector, maxLength: 4 });

const goal = fc.record({
  id,
  name: optional(line),
  kind: fc.constantFrom('count' as const, 'revenue' as const),
  lowerIsBetter: optional(fc.boolean()),
  target: optional(
    fc.record({
      value: fc.double({ min: 0.01, max: 1e12, noNaN: true }),
      period: fc.constantFrom('week' as const, 'month' as const, 'quarter' as const),
    }),
  ),
});
const multiline = text.map((value) => value.replaceAll('\0', ''));
const tags = fc.uniqueArray(line, { maxLength: 3 });
const option = fc.record(
  {
    value: text.filter((value) => value !== ''),
    label: line,
    color: fc.stringMatching(/^#[0-9A-Fa-f]{6}$/),
  },
  { requiredKeys: ['value'] },
);
const MAX_TIME = 253_402_300_799_999;
/** Always in the future, because steps that are due are not kept. */
const rollout = fc.record(
  {
    percentage: fc.double({ min: 0, max: 100, noNaN: true }),
    by: line,
    schedule: fc
      .uniqueArray(fc.integer({ min: 10_000_000_000_000, max: MAX_TIME }), { minLength: 1, maxLength: 3 })
      .map((times) => times.sort((left, right) => left - right))
      .map((times) => times.map((at, index) => ({ at, percentage: index * 30 }))),
  },
  { requiredKeys: ['percentage'] },
);
const condition = fc.record({
  attribute: line,
  operator: fc.constantFrom('equals' as const, 'in' as const, 'contains' as const),
  values: fc.array(fc.oneof(text, fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true })), {
    minLength: 1,
    maxLength: 3,
  }),
});
const segment = fc.record(
  {
    id,
    name: line,
    match: fc.constantFrom('all' as const, 'any' as const),
    conditions: fc.array(condition, { maxLength: 2 }),
  },
  { requiredKeys: ['id', 'conditions'] },
);
const splitTest = fc.record(
  {
    key: id,
    name: line,
    description: multiline,
    hypothesis: multiline,
    tags,
    owner: line,
    type: fc.constant('text' as const),
    status: fc.constantFrom('draft' as const, 'running' as const, 'stopped' as const, 'archived' as const),
    hashSeed: line,
    trafficAllocation: fc.double({ min: 0, max: 100, noNaN: true }),
    variations: fc.uniqueArray(fc.record({ key: id, weight: fc.integer({ min: 1, max: 99 }), value: text }), {
      selector: ({ key }) => key,
      minLength: 1,
      maxLength: 3,
    }),
    // Four tests of at most 25 % each always fit.
    exclusion: fc.record({
      group: fc.constantFrom('g', 'h'),
      share: fc.double({ min: 0.1, max: 25, noNaN: true }),
    }),
    startAt: fc.integer({ min: 0, max: 253_402_300_799_998 }),
    attributionDays: fc.integer({ min: 0, max: 365 }),
    plannedVisitors: fc.integer({ min: 1 }),
    smallestEffect: fc.double({ min: 0.0001, max: 10, noNaN: true }),
    unit: fc.constantFrom('visitor' as const, 'user' as const),
  },
  { requiredKeys: ['key', 'type', 'variations'] },
);
const statistics = fc.record(
  {
    engine: fc.constantFrom('sequential' as const, 'frequentist' as const, 'bayesian' as const),
    alpha: fc.double({ min: 0.001, max: 0.2, noNaN: true }),
    correction: fc.constantFrom('none' as const, 'holm' as const, 'benjamini-hochberg' as const),
    cuped: fc.boolean(),
    winsorize: fc.option(fc.constantFrom(0.95, 0.99)),
    prior: fc.option(fc.record({ mean: fc.double({ min: -1, max: 1, noNaN: true }), sd: fc.constant(0.3) })),
    stratify: fc.subarray(['country' as const, 'device' as const]),
    shipWithOpenGuardrails: fc.boolean(),
  },
  { requiredKeys: [] },
);
const flag = fc.record({
  key: id,
  name: optional(line),
  description: optional(multiline),
  tags: optional(tags),
  owner: optional(fc.option(line)),
  type: fc.constant('string' as const),
  defaultValue: text,
  environments: fc.record(
    {
      production: fc.record({
        enabled: fc.boolean(),
        value: text,
        rules: fc.array(
          fc.record(
            { id: line, value: text, conditions: fc.array(condition, { maxLength: 2 }), rollout },
            { requiredKeys: ['id', 'value'] },
          ),
          { maxLength: 1 },
        ),
      }),
      staging: fc.record({ enabled: fc.boolean() }),
    },
    { requiredKeys: [] },
  ),
});
const path = fc.constantFrom('/', '/checkout*', '*?/"quoted\\path"');
const metric = fc
  .record({
    id,
    name: line,
    tags: fc.uniqueArray(line, { maxLength: 2 }),
    format: fc.option(fc.constantFrom('number', 'money', 'seconds', 'percent')),
    computation: fc.oneof(
      fc.record(
        { kind: fc.constant('page' as const), path, of: fc.constantFrom('views', 'bounce', 'visitors') },
        { requiredKeys: ['kind'] },
      ),
      fc.record({
        kind: fc.constant('event' as const),
        event: line,
        withinDays: fc.integer({ min: 1, max: 365 }),
      }),
      fc.record({
        kind: fc.constant('quantile' as const),
        quantile: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        event: line,
        property: line,
      }),
      fc.record({
        kind: fc.constant('funnel' as const),
        steps: fc.tuple(fc.record({ path }), fc.record({ event: line })),
        withinDays: fc.integer({ min: 1, max: 365 }),
      }),
      fc.constant({ kind: 'retention' as const, fromDay: 1, toDay: 7 }),
      fc.record({
        kind: fc.constant('ratio' as const),
        numerator: fc.record({ event: line }),
        denominator: fc.record({ path }),
        cap: fc.double({ min: 0.1, max: 1e9, noNaN: true }),
      }),
    ),
  })
  .map(({ computation, ...metric }) => ({ ...metric, ...computation }));
const property = fc.record(
  {
    id,
    name: line,
    retentionDays: fc.option(fc.integer({ min: 1, max: 36_500 })),
    allowedOrigins: fc.option(fc.subarray(['https://a.example', 'http://localhost:3000', 'app://shop'])),
    hashSeed: line,
    holdout: fc.double({ min: 0, max: 100, noNaN: true }),
    statistics,
    displayCurrency: fc.constantFrom('EUR', 'JPY'),
    timeZone: fc.constantFrom('Europe/Berlin', 'Asia/Kathmandu'),
    environments: fc.constant([{ id: 'staging' }, { id: 'production', name: 'Live', protected: true }]),
    goals: unique(goal, (value) => value.id),
    feedbackTypes: unique(
      fc.record({
        id,
        options: fc
          .uniqueArray(option, { selector: ({ value }) => value, maxLength: 3 })
          .map((options) => options.map((each, index) => (index === 0 ? each.value : each))),
        textInput: fc.boolean(),
      }),
      (value) => value.id,
    ),
    metrics: unique(metric, (value) => value.id),
    splitTests: unique(splitTest, (value) => value.key),
    segments: unique(segment, (value) => value.id),
    flags: unique(flag, (value) => value.key),
  },
  { requiredKeys: ['id', 'environments'] },
);
const file: fc.Arbitrary<ProvisionFile> = unique(property, (value) => value.id).map((properties) => ({
  // fast-check sets absent options to undefined, which a file cannot contain.
  properties: (JSON.parse(JSON.stringify(properties)) as ProvisionedProperty[]).map(withReferences),
}));

/** Adds references within the file: the goals, metrics and feedback of the tests, and the winners of the stopped ones. */
function withReferences(property: ProvisionedProperty): ProvisionedProperty {
  const goals = (property.goals ?? []).map((each) => each.id);
  const feedback = (property.feedbackTypes ?? []).flatMap(({ id: feedbackType, options, textInput }) => [
    { feedbackType },
    ...(options ?? [])
      .map((each) => (typeof each === 'string' ? each : each.value))
      .filter((value) => !/\p{Cc}/u.test(value))
      .map((value) => ({ feedbackType, option: value, lowerIsBetter: textInput ?? false })),
  ]);
  const metrics = (property.metrics ?? []).map(({ id }) => ({ metric: id }));
  const [first, ...others] = [...metrics, ...feedback, ...goals];
  // Every second one has a margin.
  const guardrails = others.toReversed().map((outcome, index) => {
    if (index % 2 === 0) return outcome;
    const maxHarm = (index + 1) / 100;
    return typeof outcome === 'string' ? { goalId: outcome, maxHarm } : { ...outcome, maxHarm };
  });
  const splitTests = property.splitTests?.map((test) => ({
    ...test,
    ...(first === undefined ? {} : { goals: [first], guardrails }),
    ...(test.status === 'stopped'
      ? {
          winner: test.variations![0]!.key,
          decision: { outcome: 'ship' as const, reason: `${test.key}\nwins` },
        }
      : {}),
    ...(test.startAt === undefined ? {} : { stopAt: Number(test.startAt) + 1 }),
  }));
  return splitTests === undefined ? property : { ...property, splitTests };
}

test('an export applied to an empty directory exports the same again, as YAML and as JSON', async () => {
  await fc.assert(
    fc.asyncProperty(file, async (content) => {
      const first = await applied(provisionObject(content));
      const throughYaml = await applied(readProvisionText(formatYaml(first)));
      const throughJson = await applied(readProvisionText(formatJson(first)));
      expect(throughYaml).toEqual(first);
      expect(formatYaml(throughYaml)).toBe(formatYaml(first));
      expect(throughJson).toEqual(first);
    }),
    { numRuns: 20 },
  );
});

test('an export applied to its own configuration changes nothing', () =>
  inEmptyDirectory(async (database) => {
    await applyProvision(provisioningOf(database), provisionObject(DEMO_FILE));
    const yaml = formatYaml(await exportConfiguration(database, model));
    const { changes } = await applyProvision(provisioningOf(database), readProvisionText(yaml));
    expect(changes.every((change) => change.action === 'unchanged')).toBe(true);
  }));

test('secret keys are omitted and listed in a comment', () =>
  inEmptyDirectory(async (database) => {
    const { generatedKeys } = await applyProvision(provisioningOf(database), provisionObject(DEMO_FILE));
    const [publicKey = '', secretKey = ''] = generatedKeys.map((key) => key.text);
    const exported = await exportConfiguration(database, model, 'demo');
    const yaml = formatYaml(exported);
    expect(yaml).toContain(publicKey);
    expect(yaml).not.toContain(secretKey);
    expect(yaml).toMatch(
      /^# Secret keys are stored as hashes and cannot be exported:\n# demo: "backend" \(service_sec_/,
    );
    expect(formatJson(exported)).not.toContain('service_sec_');
    expect((await exportConfiguration(database, model, 'other')).file).toEqual({ properties: [] });
  }));

test('characters that terminals do not show are escaped in YAML', async () => {
  const name = 'left\u200bto\u202eright\u{e0041}';
  const exported = await applied(provisionObject({ properties: [{ id: 'a', name }] }));
  expect(formatYaml(exported)).toContain('name: "left\\u200bto\\u202eright\\U000e0041"');
  expect(await applied(readProvisionText(formatYaml(exported)))).toEqual(exported);
});

test('non-ASCII letters are not escaped in YAML', async () => {
  const exported = await applied(provisionObject({ properties: [{ id: 'a', name: 'Größe 尺寸 🙂' }] }));
  expect(formatYaml(exported)).toContain('name: Größe 尺寸 🙂');
});
