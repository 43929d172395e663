import { describe, expect, it } from 'vitest';
import { advancePhases, definitionInForce, type Phase, type PhaseReason } from './phases.ts';

const PROPERTY = { hashSeed: 'p', holdout: 5, segments: [] };
type TestFields = Parameters<typeof definitionInForce>[0];
const TEST: TestFields = {
  hashSeed: 's',
  trafficAllocation: 50,
  variations: [
    { key: 'a', weight: 1, value: 'A' },
    { key: 'b', weight: 1, value: 'B' },
  ],
  exclusion: { group: 'g', from: 0, to: 40 },
  unit: 'visitor',
};
const definition = definitionInForce(TEST, PROPERTY);
const started: Phase = { number: 1, startedAt: 1000, endedAt: null, reasons: ['started'], definition };

it('a definition has the seeds of the property, and no holdout if it is 0 percent', () => {
  expect(definition).toEqual({
    ...TEST,
    exclusion: { group: 'g', seed: 'p:g', from: 0, to: 40 },
    holdout: { seed: 'p', percentage: 5 },
  });
  expect(definitionInForce({ ...TEST, exclusion: null }, { ...PROPERTY, holdout: 0 })).toMatchObject({
    exclusion: null,
    holdout: null,
  });
});

describe('a running test', () => {
  const [a, b] = TEST.variations;
  const isPro = { attribute: 'plan', operator: 'equals' as const, values: ['pro'] };
  const moving: [string, PhaseReason[], Partial<TestFields>, Partial<typeof PROPERTY>][] = [
    ['another seed', ['seed'], { hashSeed: 't' }, {}],
    ['less traffic', ['traffic'], { trafficAllocation: 49.9 }, {}],
    ['another weight', ['weights'], { variations: [a!, { ...b!, weight: 2 }] }, {}],
    ['another value', ['variations'], { variations: [a!, { ...b!, value: 'C' }] }, {}],
    ['another key', ['variations'], { variations: [a!, { ...b!, key: 'c' }] }, {}],
    ['another order', ['variations'], { variations: [b!, a!] }, {}],
    [
      'one more',
      ['weights', 'variations'],
      { variations: [a!, b!, { key: 'c', weight: 1, value: 'C' }] },
      {},
    ],
    ['another slot', ['exclusion'], { exclusion: { group: 'g', from: 40, to: 80 } }, {}],
    ['another group', ['exclusion'], { exclusion: { group: 'h', from: 0, to: 40 } }, {}],
    ['another unit', ['unit'], { unit: 'user' }, {}],
    ['an audience', ['audience'], { audience: { conditions: [isPro] } }, {}],
    ['a larger holdout', ['holdout'], {}, { holdout: 6 }],
    ['another seed of the property', ['exclusion', 'holdout'], {}, { hashSeed: 'q' }],
    [
      'several at once',
      ['seed', 'traffic', 'holdout'],
      { hashSeed: 't', trafficAllocation: 1 },
      { holdout: 9 },
    ],
  ];
  it.each(moving)('with %s starts a new phase (%j)', (_name, reasons, test, property) => {
    const after = definitionInForce({ ...TEST, ...test }, { ...PROPERTY, ...property });
    expect(advancePhases([started], 'running', after, 2000)).toEqual([
      { ...started, endedAt: 2000 },
      { number: 2, startedAt: 2000, endedAt: null, reasons, definition: after },
    ]);
  });

  it.each([
    ['more traffic', { trafficAllocation: 51 }, {}],
    ['a smaller holdout', {}, { holdout: 4 }],
    ['no holdout', {}, { holdout: 0 }],
    ['a retired variation', { variations: [a!, { ...b!, retired: true as const }] }, {}],
  ])('with %s moves nobody: the phase continues with the new definition', (_name, test, property) => {
    const after = definitionInForce({ ...TEST, ...test }, { ...PROPERTY, ...property });
    const phases = advancePhases([started], 'running', after, 2000);
    expect(phases).toEqual([{ ...started, definition: after }]);
  });

  it('with the first holdout starts a new phase', () => {
    const without = definitionInForce(TEST, { ...PROPERTY, holdout: 0 });
    const [, after] = advancePhases([{ ...started, definition: without }], 'running', definition, 2000);
    expect(after).toMatchObject({ number: 2, reasons: ['holdout'], definition });
  });

  it('that is unchanged keeps the same list', () => {
    const phases = [started];
    expect(advancePhases(phases, 'running', definitionInForce(TEST, PROPERTY), 2000)).toBe(phases);
  });
});

describe('the status', () => {
  const other = definitionInForce({ ...TEST, hashSeed: 't' }, PROPERTY);

  it('draft has no phase, running starts the first', () => {
    expect(advancePhases([], 'draft', definition, 1000)).toEqual([]);
    expect(advancePhases([], 'running', definition, 1000)).toEqual([started]);
  });

  it('paused keeps the phase open; changes take effect when the test resumes', () => {
    const paused = advancePhases([started], 'paused', other, 2000);
    expect(paused).toEqual([{ ...started, pauses: [{ from: 2000, to: null }] }]);
    expect(advancePhases(paused, 'paused', other, 2500)).toBe(paused);
    const resumed = { ...started, pauses: [{ from: 2000, to: 3000 }] };
    expect(advancePhases(paused, 'running', definition, 3000)).toEqual([resumed]);
    expect(advancePhases(paused, 'running', other, 3000)).toEqual([
      { ...resumed, endedAt: 3000 },
      { number: 2, startedAt: 3000, endedAt: null, reasons: ['seed'], definition: other },
    ]);
    expect(advancePhases(paused, 'stopped', other, 3000)).toEqual([{ ...resumed, endedAt: 3000 }]);
  });

  it('tells since when visitors got a scheduled phase that started a minute late or more', () => {
    expect(advancePhases([], 'running', definition, 1000, 60_999)).toEqual([started]);
    expect(advancePhases([], 'running', definition, 1000, 61_000)).toEqual([
      { ...started, servedFrom: 61_000 },
    ]);
    expect(advancePhases([], 'running', definition, 100_000)).toEqual([{ ...started, startedAt: 100_000 }]);
  });

  it('keeps every pause of a phase', () => {
    const pauses = [{ from: 2000, to: 3000 }];
    const again = advancePhases([{ ...started, pauses }], 'paused', definition, 4000);
    expect(again).toEqual([{ ...started, pauses: [...pauses, { from: 4000, to: null }] }]);
    expect(advancePhases(again, 'paused', definition, 5000)).toBe(again);
    expect(advancePhases(again, 'running', definition, 5000)).toEqual([
      { ...started, pauses: [...pauses, { from: 4000, to: 5000 }] },
    ]);
  });

  it.each(['stopped', 'archived'] as const)(
    '%s ends the phase once, and never before its start',
    (status) => {
      const ended = advancePhases([started], status, other, 2000);
      expect(ended).toEqual([{ ...started, endedAt: 2000 }]);
      expect(advancePhases(ended, status, other, 3000)).toBe(ended);
      expect(advancePhases([started], status, definition, 500)).toEqual([{ ...started, endedAt: 1000 }]);
    },
  );
});
