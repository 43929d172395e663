import { expect, it } from 'vitest';
import { describeNote } from './note-words.ts';

it('says since when, and with whom goals are evaluated', () => {
  expect(describeNote({ note: 'planned-end', at: Date.UTC(2026, 2, 9, 23, 59), visitors: 12_400 })).toBe(
    'The planned number of visitors was reached on 2026-03-09 (UTC). The goals are evaluated with the first 12,400 visitors, because going on would raise the error rate; only guardrails use all of them.',
  );
});

it('says that moved visitors are not counted', () => {
  const words = (visitors: number) => describeNote({ note: 'moved-visitors', visitors });
  expect(words(1)).toBe('1 visitor saw another variation in an earlier phase and is not counted.');
  expect(words(1200)).toBe('1,200 visitors saw another variation in an earlier phase and are not counted.');
});

it('says why CUPED is off', () => {
  const imbalance = { covariate: 'sessions', variation: 'b', pValue: 1e-5 };
  expect(describeNote({ note: 'covariate-imbalance', ...imbalance })).toBe(
    'CUPED is off, because visitors of "b" already differed from those of the control before the test (sessions). Check that the test, or an earlier one, did not reach them before their first exposure.',
  );
});
