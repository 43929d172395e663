import { DEFAULT_STATISTICS } from '../statistics.ts';

export const DECISION_RULE_EXAMPLE = {
  state: 'fixed',
  fixedAt: 1766016000000,
  rule: {
    primary: { id: 'signup', name: 'Sign-ups', kind: 'count', lowerIsBetter: false },
    secondary: [],
    guardrails: [],
    variations: ['control', 'b'],
    smallestEffect: 0.02,
    plannedVisitors: null,
    unit: 'visitor',
    attributionDays: 7,
    statistics: DEFAULT_STATISTICS,
  },
  sentences: [
    'We decide by "Sign-ups": the share of visitors who reach it.',
    'A change smaller than 2 % does not matter.',
  ],
  changes: [
    {
      what: 'smallestEffect',
      before: 0.02,
      after: 0.05,
      words: 'Smallest effect: 2 % → 5 %',
      at: 1766275200000,
      by: 'Anna',
    },
  ],
  words: 'Fixed at the start. Changed after the start: smallest effect.',
};
