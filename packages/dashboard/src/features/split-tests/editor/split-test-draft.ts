import type { SplitTest } from '../../configuration/configuration-types.ts';

/** The fields of a split test that the editor shows; the server adds the others. */
export type SplitTestDraft = Omit<SplitTest, 'id' | 'version' | 'phases' | 'createdAt' | 'hashSeed'> &
  Partial<Pick<SplitTest, 'id' | 'version' | 'phases' | 'createdAt' | 'hashSeed'>>;

export const EMPTY_DRAFT: SplitTestDraft = {
  key: '',
  name: '',
  description: null,
  hypothesis: null,
  tags: [],
  owner: null,
  type: 'text',
  status: 'draft',
  trafficAllocation: 100,
  variations: [
    { key: 'control', weight: 50, value: '' },
    { key: 'b', weight: 50, value: '' },
  ],
  exclusion: null,
  startAt: null,
  stopAt: null,
  winner: null,
  decision: null,
  goals: [],
  guardrails: [],
  attributionDays: 7,
  plannedVisitors: null,
  smallestEffect: null,
  unit: 'visitor',
};

/** A new draft with the content of another test; what belongs to its run is left out. */
export function copyOf(test: SplitTest): SplitTestDraft {
  const { id, version, phases, decisionRule, createdAt, hashSeed, ...fields } = test;
  return {
    ...fields,
    variations: fields.variations.map(({ key, weight, value }) => ({ key, weight, value })),
    name: `${test.name || test.key} (copy)`,
    key: `${test.key}-copy`,
    status: 'draft',
    startAt: null,
    stopAt: null,
    winner: null,
    decision: null,
    exclusion: fields.exclusion && { group: fields.exclusion.group, share: fields.exclusion.share },
  };
}

/** The body of the request. The value of a variation of type `id` is always its key. */
export function bodyOf({ name, variations, ...draft }: SplitTestDraft): object {
  return {
    ...draft,
    ...(name && { name }),
    variations: draft.type === 'id' ? variations.map((each) => ({ ...each, value: each.key })) : variations,
  };
}
