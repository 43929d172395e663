import { OPERATORS } from '@switchyard/core/api/targeting';
import { differences } from '@switchyard/core/merge/differences';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configurationModel } from '../../start/definitions.ts';
import type { Document, EntityType } from '../property/entities.ts';
import { describeDifferences } from './describe-changes.ts';

const NAMES = {
  environments: [{ id: 'production', name: 'Production' }],
  segments: [{ id: 'staff', name: 'Staff' }],
  goals: [{ id: 'orders', name: 'Orders' }],
  feedbackTypes: [{ id: 'nps', name: 'NPS' }],
  metrics: [{ id: 'aov', name: 'Average order' }],
};

/** The lines with the state before the change, or from the changed fields alone, without the subject. */
function lines(type: EntityType, before: Document, after: Document, hasState = true): string[] {
  const changes = differences(before, after);
  const state = hasState ? before : undefined;
  return describeDifferences(configurationModel, { type, key: 'x' }, 'update', changes, NAMES, state).map(
    (line) => line.replace(/^.*? x – /, ''),
  );
}

const RULE = { id: 'r', name: 'Beta users', rollout: { percentage: 10 }, value: true };
const inProduction = (fields: object) => ({ environments: { production: { rules: [RULE], ...fields } } });

describe('changes in words', () => {
  it.each<[EntityType, Document, Document, string[]]>([
    [
      'flag',
      inProduction({}),
      inProduction({ rules: [{ ...RULE, rollout: { percentage: 25 } }] }),
      ['Production, rule 1 (“Beta users”): rollout 10 % → 25 %'],
    ],
    [
      'flag',
      inProduction({ enabled: false, value: 'a' }),
      inProduction({ enabled: true, value: 'b' }),
      ['Production: switched on', 'Production, when no rule matches: a → b'],
    ],
    [
      'flag',
      { environments: {}, owner: null },
      {
        environments: {
          staging: {
            enabled: true,
            rules: [
              {
                id: 'n',
                conditions: [
                  { attribute: 'country', operator: 'in', values: ['DE', 'AT'] },
                  { operator: 'inSegment', values: ['staff'] },
                ],
                value: 'b',
              },
            ],
          },
        },
        owner: 'anna@shop.example',
      },
      [
        'Owner: none → anna@shop.example',
        'staging: switched on',
        'Rule 1 added in staging: if country is one of DE, AT and the visitor is in segment Staff, serve b',
      ],
    ],
    [
      'split-test',
      {
        status: 'draft',
        variations: [
          { key: 'a', weight: 50 },
          { key: 'b', weight: 50 },
        ],
      },
      { status: 'running', variations: [{ key: 'a', weight: 50 }, { key: 'b', weight: 60 }, { key: 'c' }] },
      ['Status: draft → running', 'Weight of variation “b”: 50 → 60', 'Variation “c” added with weight 1'],
    ],
    [
      'split-test',
      { goals: ['orders'], exclusion: null, smallestEffect: 0.05, decision: null },
      {
        goals: ['orders', { feedbackType: 'nps', option: 'bad', lowerIsBetter: true }],
        exclusion: { group: 'checkout', share: 30, from: 0, to: 30 },
        smallestEffect: 0.07,
        decision: { outcome: 'ship', reason: 'Sells 4 % more', decidedAt: 0 },
      },
      [
        'Goals: Orders → Orders, NPS: bad (less is better)',
        'Exclusion group: none → checkout with 30 % of the visitors',
        'Decision: none → ship (“Sells 4 % more”)',
        'Smallest effect worth detecting: 5 % → 7 %',
      ],
    ],
    [
      'split-test',
      { guardrails: ['orders', { feedbackType: 'nps' }], unit: 'visitor' },
      {
        guardrails: [
          { goalId: 'orders', maxHarm: 0.025 },
          { feedbackType: 'nps', option: 'bad', lowerIsBetter: true, maxHarm: 0.1 },
          { goalId: 'gone', maxHarm: 1 },
        ],
        unit: 'user',
      },
      [
        'Guardrails: Orders, NPS: answers → Orders (harm of at most 2.5 %), NPS: bad (less is better, harm of at most 10 %), gone (harm of at most 100 %)',
        'Counts: visitors → users',
      ],
    ],
    [
      'split-test',
      { goals: ['orders'], guardrails: [{ metric: 'aov' }] },
      { goals: ['orders', { metric: 'gone' }], guardrails: [{ metric: 'aov', maxHarm: 0.02 }] },
      ['Goals: Orders → Orders, gone', 'Guardrails: Average order → Average order (harm of at most 2 %)'],
    ],
    [
      'metric',
      { numerator: { goalId: 'orders', of: 'count' }, withinDays: null, cap: null, lowerIsBetter: false },
      { numerator: { goalId: 'orders', of: 'sum' }, withinDays: 7, cap: 50, lowerIsBetter: true },
      [
        'Numerator: Orders → amounts of Orders',
        'Counts after the exposure: until the end → 7 days',
        'Less is better',
        'Cap per visitor: none → 50',
      ],
    ],
    [
      'metric',
      { steps: [{ goalId: 'orders' }, { path: '/a*' }], of: 'visitors', path: null },
      { steps: [{ path: '/a*' }, { event: 'pay now' }], of: 'views', path: '/b' },
      ['Steps: Orders, page /a* → page /a*, event “pay now”', 'Page: any → /b', 'Measures: visitors → views'],
    ],
    [
      'goal',
      { target: null, lowerIsBetter: false },
      { target: { value: 100, period: 'week' }, lowerIsBetter: true },
      ['Less is better', 'Target: none → 100 per week'],
    ],
    [
      'feedback-type',
      { options: ['good', 'bad'] },
      { options: ['bad', { value: 'good', label: 'Good!' }, 'ugly'] },
      [
        'Label of option “good”: none → “Good!”',
        'Option “ugly” added',
        'Order of the options: “good”, “bad” → “bad”, “good”, “ugly”',
      ],
    ],
    [
      'segment',
      { match: 'all', conditions: [{ attribute: 'a', operator: 'isSet' }] },
      { match: 'any', conditions: [{ attribute: 'b', operator: 'isSet' }] },
      ['One condition is enough (before: all conditions must match)', 'Condition 1: a is set → b is set'],
    ],
    [
      'property',
      { retentionDays: null, allowedOrigins: ['https://a'], statistics: { engine: 'auto', alpha: 0.05 } },
      { retentionDays: 30, allowedOrigins: ['https://b'], statistics: { engine: 'bayesian', alpha: 0.1 } },
      [
        'Keeps events: forever → 30 days',
        'Allowed origins added: https://b',
        'Allowed origins removed: https://a',
        'Method: auto → bayesian',
        'Accepted false positives: 5 % → 10 %',
      ],
    ],
    [
      'property',
      { statistics: { prior: { mean: 0, sd: 0.3 }, stratify: [], shipWithOpenGuardrails: false } },
      { statistics: { prior: null, stratify: ['country', 'device'], shipWithOpenGuardrails: true } },
      [
        'Earlier experience: effect of 0 %, give or take 30 % → learnt from finished tests',
        'Compares visitors of the same: none → country, device',
        'Can say "ship" while a guardrail does not have enough data',
      ],
    ],
    [
      'webhook',
      { enabled: true, someNewField: 1 },
      { enabled: false },
      ['Switched off', 'Some new field: 1 → none'],
    ],
  ])('%s: %j', (type, before, after, expected) => {
    expect(lines(type, before, after)).toEqual(expected);
  });

  it('counts items of lists where only the changed fields are known', () => {
    const weights = (b: number) => ({
      variations: [
        { key: 'a', weight: 1 },
        { key: 'b', weight: b },
      ],
    });
    expect(lines('split-test', weights(1), weights(2), false)).toEqual(['Weight of variation 2: 1 → 2']);
    const after = inProduction({ rules: [{ ...RULE, rollout: { percentage: 25, by: 'userId' } }] });
    expect(lines('flag', inProduction({}), after, false)).toEqual([
      'Production, rule 1: rollout 10 % → 25 %',
      'Production, rule 1: rollout by the first id → userId',
    ]);
  });

  it('are limited in length and number', () => {
    const text = 'x'.repeat(1024);
    const rules = Array.from({ length: 200 }, (_, i) => ({
      id: `${i}`,
      name: text,
      conditions: Array(100).fill({ attribute: text, operator: 'in', values: Array(20).fill(text) }),
      value: text,
    }));
    const all = lines('flag', { name: 'a' }, { name: text, environments: { production: { rules } } });
    expect(all).toHaveLength(101);
    expect(all.at(-1)).toBe('and 101 more changes');
    for (const line of all) expect(line.length).toBeLessThan(1000);
  });
});

const condition = fc.record(
  {
    attribute: fc.constantFrom('plan', '__proto__'),
    operator: fc.constantFrom(...OPERATORS),
    values: fc.array(fc.constantFrom('a', 1, true), { maxLength: 2 }),
    negate: fc.boolean(),
  },
  { requiredKeys: ['operator'] },
);
const rule = fc.record(
  {
    id: fc.constantFrom('a', 'b', 'c'),
    name: fc.string(),
    enabled: fc.boolean(),
    match: fc.constantFrom('all', 'any'),
    conditions: fc.array(condition, { maxLength: 3 }),
    rollout: fc.record({ percentage: fc.nat(100), by: fc.string() }, { requiredKeys: ['percentage'] }),
    value: fc.boolean(),
  },
  // On and all by default, so these must not be missing.
  { requiredKeys: ['id', 'value', 'enabled', 'match'] },
);
const document = fc.record({
  defaultValue: fc.boolean(),
  environments: fc.dictionary(
    fc.constantFrom('production', '__proto__', '1'),
    fc.record({
      enabled: fc.boolean(),
      value: fc.boolean(),
      rules: fc.array(rule, { maxLength: 3 }),
      prerequisites: fc.array(fc.record({ flag: fc.constantFrom('a', 'b'), value: fc.boolean() })),
    }),
  ),
});

it('every change has a line, whether the state before is known or not', () => {
  fc.assert(
    fc.property(document, document, (before, after) => {
      fc.pre(differences(before, after).length > 0);
      expect(lines('flag', before, after)).not.toEqual([]);
      expect(lines('flag', before, after, false)).not.toEqual([]);
    }),
    { numRuns: 500 },
  );
});
