import { parse } from 'yaml';
import type { Snippet } from './snippets.ts';

type Members = Record<string, unknown>;

/** One provision file with everything that YAML snippets show: each becomes a property of its own. */
export function provisionOf(snippets: readonly Snippet[]): { properties: Members[] } {
  const properties = snippets.flatMap(({ code, place }) =>
    propertiesIn(parse(code), place).map((property) => ({ ...property, name: place })),
  );
  return { properties: properties.map((property, index) => ({ ...property, id: `snippet-${index}` })) };
}

/** What the parts of a property refer to. */
const BASE = {
  goals: [
    { id: 'signup', name: 'Sign-ups', kind: 'count' },
    { id: 'revenue', name: 'Revenue', kind: 'revenue' },
  ],
  metrics: [{ id: 'load-time', kind: 'quantile', quantile: 0.9, event: 'load', property: 'ms' }],
  feedbackTypes: [{ id: 'nps', name: 'NPS', options: ['good', 'bad'], textInput: true }],
  segments: [{ id: 'staff', conditions: [{ attribute: 'plan', operator: 'equals', values: ['staff'] }] }],
};

/** A whole file, a part of a property, of a split test, or the rules of a flag. */
function propertiesIn(content: Members, name: string): Members[] {
  if (Array.isArray(content.properties)) return content.properties.map(withoutKeys);
  if (['guardrails', 'audience', 'variations'].some((member) => member in content))
    return [{ ...BASE, splitTests: [splitTest(content)] }];
  if (Array.isArray(content.rules)) {
    const environments = { production: { enabled: true, value: false, rules: content.rules } };
    return [
      { ...BASE, flags: [{ key: 'snippet', name, type: 'boolean', defaultValue: false, environments }] },
    ];
  }
  return [{ ...BASE, ...content }];
}

const splitTest = (members: Members): Members => ({
  key: 'snippet',
  type: 'id',
  status: 'running',
  variations: [
    { key: 'control', weight: 1 },
    { key: 'b', weight: 1 },
  ],
  ...members,
});

/** Two properties cannot have the same key. */
const withoutKeys = ({ apiKeys: _, ...property }: Members): Members => property;
