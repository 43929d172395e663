import { describe, expect, it } from 'vitest';
import { type ChecklistFacts, describeChecklist, type OverlappingTest } from './checklist-words.ts';

const GOAL = { name: 'Sign-ups', role: 'primary', events: 300, isFeedback: false } as const;
const PLAN = {
  withinDays: 0,
  planned: null,
  smallestEffect: 0.1,
  assumedEffect: 0.05,
  participating: 100,
  dailyVisitors: 100,
  needed: 2000,
  needsPlan: false,
};
const FACTS: ChecklistFacts = {
  days: 14,
  visitors: 1400,
  goals: [GOAL],
  variations: [
    { key: 'control', weight: 1, value: 'Buy' },
    { key: 'b', weight: 1, value: 'Get it' },
  ],
  audience: null,
  aaTest: { verdict: 'sound', words: 'Calm.' },
  isAaTestOff: false,
  running: [],
  previews: null,
  plan: PLAN,
};
const other = (more: Partial<OverlappingTest> = {}): OverlappingTest => ({
  name: 'Other',
  sameSeed: false,
  sameGoal: false,
  tags: [],
  ...more,
});

function found(id: string, more: Partial<ChecklistFacts>): [state: string, words: string] {
  const { state, words } = describeChecklist({ ...FACTS, ...more }).find((it) => it.id === id)!;
  return [state, words];
}

const plan = (more: Partial<ChecklistFacts['plan']>) => found('plan', { plan: { ...PLAN, ...more } });

describe('the checklist', () => {
  it('is fine, except for what nobody can know', () => {
    expect(describeChecklist(FACTS).map(({ id, state }) => `${id} ${state}`)).toEqual([
      'goal ok',
      'split unknown',
      'audience ok',
      'plan ok',
      'aa-test ok',
      'overlap ok',
    ]);
  });

  it('says which goals are silent', () => {
    expect(found('goal', {})).toEqual(['ok', 'In the last 14 days, 300 visitors reached "Sign-ups".']);
    const silent = (name: string) => ({ ...GOAL, name, role: 'guardrail' as const, events: 0 });
    expect(found('goal', { goals: [GOAL, ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(silent)] })).toEqual([
      'warning',
      'In the last 14 days, 300 visitors reached "Sign-ups". Without any event: "a", "b", "c", "d", "e" and 2 more.',
    ]);
    expect(found('goal', { goals: [{ ...GOAL, events: 0, isFeedback: true }] })).toEqual([
      'problem',
      'In the last 14 days, nobody answered "Sign-ups". Check that its conversions are recorded; without them, the test never has a result.',
    ]);
    expect(found('goal', { goals: [] })[0]).toBe('problem');
  });

  it('needs two weights, two values and pages', () => {
    const [control, b] = FACTS.variations;
    const states = (variations: ChecklistFacts['variations']) => found('split', { variations })[0];
    expect(states([control!, { ...b!, weight: 0 }])).toBe('problem');
    expect(states([{ ...control!, weight: 0 }, b!, { ...b!, key: 'c', value: 'c' }])).toBe('problem');
    expect(states([control!, { ...b!, value: 'Buy' }])).toBe('warning');
    expect(states([control!, b!, { ...b!, key: 'old', weight: 0 }])).toBe('unknown');
    expect(found('split', { visitors: 0 })[0]).toBe('problem');
  });

  it('knows which variations were opened by their preview links', () => {
    const split = (opened: string[], isWholePhase = true) =>
      found('split', { previews: { opened, isWholePhase } });
    expect(found('split', {})[1]).toMatch(/ pages do not get a draft: start with a traffic of 0 %/);
    expect(split(['control', 'b'])).toEqual([
      'ok',
      'Each of the 2 variations was opened by its preview link in this phase.',
    ]);
    expect(split(['b', 'control'], false)[1]).toMatch(/ by its preview link in the last 14 days\.$/);
    expect(split(['control'])).toEqual([
      'unknown',
      'Not opened by a preview link in this phase: "b". Look at each variation before more visitors do.',
    ]);
    expect(split([], false)[1]).toMatch(
      /^Not opened by a preview link in the last 14 days: "control" and "b"\./,
    );
    // What is missing counts more than what was seen.
    expect(
      found('split', { visitors: 0, previews: { opened: ['control', 'b'], isWholePhase: true } })[0],
    ).toBe('problem');
  });

  it('knows how many visitors there are', () => {
    expect(found('audience', { visitors: 0 })[0]).toBe('problem');
    expect(found('audience', { visitors: 400, plan: { ...PLAN, participating: 50 } })[1]).toBe(
      '50 % of all visitors take part: 200 visitors in 14 days.',
    );
    expect(found('audience', { audience: { share: 0.25, visitors: 1400 } })).toEqual([
      'ok',
      'In the last 14 days, 25 % of the visitors belonged to the audience: about 350 visitors.',
    ]);
    expect(found('audience', { audience: { share: 0, visitors: 1400 } })[0]).toBe('problem');
  });

  it('knows how long it takes', () => {
    expect(plan({})).toEqual([
      'ok',
      'To find a change of 10 %, it needs about 2,000 visitors: 20 days at this traffic.',
    ]);
    expect(plan({ smallestEffect: null })[1]).toMatch(/^To find a change of 5 %/);
    expect(plan({ dailyVisitors: 30 })[0]).toBe('warning');
    expect(plan({ needed: null })[0]).toBe('unknown');
    expect(plan({ needsPlan: true })[0]).toBe('warning');
    expect(plan({ dailyVisitors: 0 })[0]).toBe('problem');
    expect(plan({ participating: 0 })[1]).toMatch(/^The traffic of the test is 0 %/);
    expect(plan({ planned: 2000 })).toEqual([
      'ok',
      'The planned 2,000 visitors take about 20 days at this traffic.',
    ]);
    expect(plan({ planned: 5700 })[0]).toBe('warning');
    expect(plan({ planned: 1000 })).toEqual([
      'warning',
      'The planned 1,000 visitors take about 10 days at this traffic. To find a change of 10 %, 2,000 visitors would be needed.',
    ]);
  });

  it('adds the days in which visitors are only followed', () => {
    expect(plan({ withinDays: 7 })[1]).toMatch(/: 27 days at this traffic\.$/);
    expect(plan({ withinDays: 7, planned: 2000 })[1]).toMatch(/ take about 27 days at this traffic\.$/);
    expect(plan({ withinDays: 40 })[0]).toBe('warning');
  });

  it('passes on what the A/A test says', () => {
    const aaTest = (verdict: 'alarm' | 'collecting') => ({ aaTest: { verdict, words: 'Words.' } });
    expect(found('aa-test', aaTest('alarm'))).toEqual(['problem', 'Words.']);
    expect(found('aa-test', aaTest('collecting'))).toEqual(['unknown', 'Words.']);
    expect(found('aa-test', { aaTest: undefined })[0]).toBe('unknown');
    expect(found('aa-test', { isAaTestOff: true })[0]).toBe('unknown');
  });

  it('names tests that may change the same', () => {
    expect(found('overlap', { running: [other(), other()] })[1]).toMatch(/^2 other tests run with the same/);
    expect(found('overlap', { running: [other({ sameGoal: true, tags: ['cart', 'q4'] }), other()] })).toEqual(
      [
        'warning',
        'Running tests that may change the same: "Other" (the same primary goal and the tags "cart" and "q4"). Their visitors are split independently; an exclusion group keeps them apart.',
      ],
    );
    expect(found('overlap', { running: Array(7).fill(other({ sameGoal: true })) })[1]).toContain(
      'and 2 more.',
    );
    const [state, words] = found('overlap', {
      running: [other({ sameSeed: true }), other({ sameGoal: true })],
    });
    expect([state, words]).toEqual(['problem', expect.stringMatching(/^"Other" runs with the same seed/)]);
  });
});
