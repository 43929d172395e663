import { expect, it } from 'vitest';
import { narrateFlag } from './narrate-flag.ts';

const SPLIT = [
  { key: 'small', value: '1', weight: 1 },
  { value: '2', weight: 0 },
  { key: 'large', value: '3', weight: 2 },
];

function narrate(rule: object, context: Record<string, unknown> = { userId: 'u1' }): string {
  const configuration = {
    enabled: true,
    value: '0',
    prerequisites: [],
    rules: [{ id: 'sizes', ...rule }],
  };
  const flag = {
    key: 'size',
    type: 'string',
    format: 'number',
    defaultValue: '0',
    version: 1,
    configuration,
  };
  const targeting = { flags: [flag], segments: [] };
  return narrateFlag({ key: 'size', targeting, context, compileRegex: () => () => false });
}

it('says which variant of a split was served, and why', () => {
  const drawn =
    /^rule 1 \(sizes\) matches; the draw of userId, ([\d.]+), is within ([\d.]+) to ([\d.]+), which gets variant (\w+)$/;
  const variants = new Set<string>();
  for (let user = 0; user < 20; user++) {
    const [, draw, from, to, variant] = drawn.exec(narrate({ split: SPLIT }, { userId: `user-${user}` }))!;
    expect(Number(draw)).toBeGreaterThanOrEqual(Number(from) - 0.01);
    expect(Number(draw)).toBeLessThanOrEqual(Number(to) + 0.01);
    variants.add(`${from} to ${to}: ${variant}`);
  }
  expect([...variants].sort()).toEqual(['0 to 33.33: small', '33.33 to 100: large']);
});

it('names the condition before the draw', () => {
  const conditions = [{ attribute: 'plan', operator: 'equals', values: ['pro'] }];
  const rule = { split: SPLIT, conditions, rollout: { percentage: 100, by: 'company' } };
  expect(narrate(rule, { plan: 'pro', company: 'acme' })).toMatch(
    /^rule 1 \(sizes\) matches: plan equals pro; the draw of company, [\d.]+, is within/,
  );
});

it('says why no variant of a split was served', () => {
  const none = (why: string) =>
    expect.stringMatching(
      new RegExp(`^the value of the environment, because no rule matches \\(rule 1 \\(sizes\\): ${why}\\)`),
    );
  expect(narrate({ split: SPLIT }, { plan: 'pro' })).toEqual(none('the context has no id for the split'));
  expect(narrate({ split: SPLIT, rollout: { percentage: 0.3 } })).toEqual(
    none('the draw of userId, [\\d.]+, is not within 0 to 0.1 or 33.33 to 33.53'),
  );
  expect(narrate({ split: SPLIT, rollout: { percentage: 0 } })).toEqual(none('it is rolled out to 0 %'));
});

it('needs no id if everybody gets the same variant', () => {
  const split = [
    { value: '1', weight: 0 },
    { key: 'all', value: '2', weight: 5 },
  ];
  expect(narrate({ split }, {})).toBe('rule 1 (sizes) matches; everybody gets variant all');
});
