import { expect, it } from 'vitest';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { impactScope } from './impact-scope.ts';

const FLAGS = 3000;
const SEGMENTS = 2000;
const TESTS = 60;
const ENVIRONMENTS = Array.from({ length: 10 }, (_, index) => ({ id: `e${index}` }));
/** Linear work takes less than a second; quadratic work takes minutes. */
const TIMEOUT_MS = 60_000;

const flag = (key: string, prerequisites: object[], segment: string) => ({
  key,
  type: 'boolean',
  defaultValue: false,
  version: 1,
  configurations: ENVIRONMENTS.map(({ id }) => ({
    environmentId: id,
    enabled: true,
    value: true,
    prerequisites,
    rules: [{ id: 'r', value: false, conditions: [{ operator: 'inSegment', values: [segment] }] }],
  })),
});

const contains = (id: string) => [{ operator: 'inSegment', values: [id] }];

/** Uses a segment that contains `common`. */
const test = (key: string, status = 'draft') => ({
  key,
  status,
  winner: null,
  variations: [{ key: 'a', weight: 1, value: '' }],
  exclusion: null,
  audience: { conditions: contains('s1') },
});

/** All flags have the same prerequisite, and all segments contain the same one. */
const large = {
  id: 'shop',
  environments: ENVIRONMENTS,
  splitTests: [...Array.from({ length: TESTS }, (_, i) => test(`t${i}`)), test('old', 'archived')],
  flags: [
    flag('base', [], 'other'),
    ...Array.from({ length: FLAGS }, (_, i) =>
      flag(`f${i}`, [{ flag: 'base', value: true }], `s${i % SEGMENTS}`),
    ),
  ],
  segments: [
    { id: 'common', conditions: [] },
    ...Array.from({ length: SEGMENTS }, (_, i) => ({ id: `s${i}`, conditions: contains('common') })),
  ],
} as unknown as PropertyConfiguration;

it(
  'takes time in proportion to the size of the configuration',
  () => {
    const change = { before: large, after: structuredClone(large) };
    const ofFlag = impactScope(change, { type: 'flag', key: 'base', days: 7 }).flags!;
    expect(ofFlag.keys.slice(0, 2)).toEqual(['base', 'f0']);
    expect(ofFlag.keys.length + ofFlag.more).toBe(FLAGS + 1);
    const ofSegment = impactScope(change, { type: 'segment', key: 'common', days: 7 }).flags!;
    expect(ofSegment.keys[0]).toBe('f0');
    expect(ofSegment.keys.length + ofSegment.more).toBe(FLAGS);
    const { changes, more } = impactScope(change, { type: 'segment', key: 'common', days: 7 }).splitTests!;
    expect(changes.map(({ key }) => key).slice(0, 2)).toEqual(['t0', 't1']);
    expect([changes.length, more]).toEqual([50, TESTS - 50]);
    expect(changes[0]!.after!.definition.audience!.segments.map(({ id }) => id)).toEqual(['s1', 'common']);
  },
  TIMEOUT_MS,
);
