import { describe, expect, it } from 'vitest';
import {
  describePlan,
  describePreview,
  type MeasuredFacts,
  type PlanFacts,
  type PreviewFacts,
} from './plan-words.ts';

const SHARE: MeasuredFacts = {
  value: 0.0321,
  isShare: true,
  format: 'percent',
  pending: 0,
  withinDays: null,
  currency: 'USD',
};
const MONEY: MeasuredFacts = { ...SHARE, value: 48.2, isShare: false, format: 'money', currency: 'EUR' };
const PLAN: PlanFacts = {
  goal: 'Order value',
  historyDays: 28,
  visitors: 5200,
  converted: 167,
  smallestEffect: 0.05,
  variations: 2,
  power: 0.8,
  plan: { visitors: 121_200, days: 66 },
  canStopEarly: false,
};
const END = 'to find a change of 5 % or more in 80 % of the cases.';

describe('the words of a plan for a metric', () => {
  it.each<[MeasuredFacts, string]>([
    [
      SHARE,
      `In the last 28 days, 167 of 5,200 visitors reached "Order value". A test with 2 variations needs 121,200 visitors, about 66 days at this traffic, ${END}`,
    ],
    [
      { ...SHARE, pending: 300, withinDays: 7 },
      `In the last 28 days, 167 of 5,200 visitors reached "Order value"; 300 visitors whose time is not over are left out. A test with 2 variations needs 121,200 visitors, about 66 days at this traffic, the last 7 days of which only follow visitors, ${END}`,
    ],
    [
      MONEY,
      `In the last 28 days, "Order value" was €48.20, over 5,200 visitors. A test with 2 variations needs 121,200 visitors, about 66 days at this traffic, ${END}`,
    ],
  ])('%j', (measured, words) => {
    expect(describePlan({ ...PLAN, measured })).toBe(words);
  });

  it('says when there is too little data', () => {
    expect(describePlan({ ...PLAN, measured: MONEY, plan: null })).toBe(
      'In the last 28 days, "Order value" was €48.20, over 5,200 visitors. That is not enough data for a plan: wait for more conversions.',
    );
  });
});

describe('the words of a preview', () => {
  const PREVIEW = {
    days: 30,
    visitors: 12_400,
    smallestEffect: 0.1,
    plannedDays: 243,
    testDays: 14,
    detectable: 0.43,
  };

  it.each<[Partial<PreviewFacts>, MeasuredFacts, string]>([
    [
      {},
      SHARE,
      'Last 30 days: 3.2 % of 12,400 visitors. A test with two variations finds a change of ±10 % after about 243 days, or one of ±43 % after 14 days.',
    ],
    [
      { detectable: null },
      { ...MONEY, pending: 1, withinDays: 7 },
      'Last 30 days: €48.20, over 12,400 visitors; 1 visitor whose time is not over is left out. A test with two variations finds a change of ±10 % after about 243 days.',
    ],
    [
      { plannedDays: null },
      { ...MONEY, value: 1.25, format: 'seconds' },
      'Last 30 days: 1.3 s, over 12,400 visitors. A test with two variations finds a change of ±43 % after 14 days.',
    ],
    [
      { plannedDays: null, detectable: null, visitors: 0 },
      { ...SHARE, value: null },
      'Last 30 days: no values, of 0 visitors. That is not enough data to plan a test.',
    ],
    [
      { plannedDays: null, detectable: null },
      { ...SHARE, value: 1 },
      'Last 30 days: 100 % of 12,400 visitors. No test can find a change of that.',
    ],
  ])('%j', (facts, measured, words) => {
    expect(describePreview({ ...PREVIEW, ...facts, measured })).toBe(words);
  });
});
