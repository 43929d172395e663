import { describe, expect, it } from 'vitest';
import type { Condition, Segment } from '../api/targeting.ts';
import { createMembership, segmentsIn } from './segments.ts';

const isPlan = (plan: string): Condition => ({ attribute: 'plan', operator: 'equals', values: [plan] });
const inSegment = (...values: (string | number)[]): Condition => ({ operator: 'inSegment', values });
const regex = () => () => false;

const belongs = (segments: Segment[], id: string, context: Record<string, unknown>) =>
  createMembership(segments, regex)(id, context);

describe('createMembership', () => {
  it('looks at every context anew', () => {
    const membership = createMembership([{ id: 'beta', conditions: [isPlan('beta')] }], regex);
    expect(membership('beta', { plan: 'beta' })).toBe(true);
    expect(membership('beta', { plan: 'free' })).toBe(false);
    expect(membership('beta', { plan: 'beta' })).toBe(true);
    expect(membership('unknown', { plan: 'beta' })).toBe(false);
  });

  it('takes the first of two segments with the same id', () => {
    const twice = [
      { id: 'a', conditions: [isPlan('beta')] },
      { id: 'a', conditions: [inSegment('a')] },
    ];
    expect(belongs(twice, 'a', { plan: 'beta' })).toBe(true);
    expect(belongs(twice.toReversed(), 'a', { plan: 'beta' })).toBe(false);
  });

  it('finds segments in others, whatever their order, but none that contain themselves', () => {
    const segments = [
      { id: 'outer', conditions: [inSegment('inner')] },
      { id: 'inner', conditions: [isPlan('beta')] },
      { id: 'loop', match: 'any' as const, conditions: [isPlan('beta'), inSegment('loop')] },
      { id: 'empty', conditions: [] },
    ];
    expect(belongs(segments, 'outer', { plan: 'beta' })).toBe(true);
    expect(belongs(segments, 'outer', { plan: 'free' })).toBe(false);
    expect(belongs(segments, 'loop', { plan: 'beta' })).toBe(false);
    expect(belongs(segments, 'empty', {})).toBe(false);
  });
});

describe('segmentsIn', () => {
  it('has the ids that conditions ask for, as text', () => {
    expect(segmentsIn([inSegment('a', 7), isPlan('b'), { operator: 'inSegment' }, inSegment('c')])).toEqual([
      ...['a', '7', 'c'],
    ]);
  });
});
