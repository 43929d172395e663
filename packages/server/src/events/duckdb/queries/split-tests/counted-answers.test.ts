import { expect, test } from 'vitest';
import { CountedAnswers, type KeptAnswer } from './counted-answers.ts';

const NO_EXPOSURES = {
  days: { from: 0, to: 0, step: 1 },
  counts: [],
  total: 0,
  firstReceivedAt: 0,
  firstSeenAt: 0,
};

const answer = (propertyId: string, countedSince: number): KeptAnswer => ({
  propertyId,
  countedSince,
  rows: new Map(),
  positions: { local: 1 },
  exposures: NO_EXPOSURES,
  earlyUntil: 0,
});

const POSITIONS = { local: 2 };

test('expired events drop the answers that may have counted them, and no others', () => {
  const answers = new CountedAnswers();
  answers.view().set('old', answer('shop', 99));
  answers.view().set('new', answer('shop', 100));
  answers.view().set('other', answer('blog', 0));
  const running = answers.view();
  answers.expire('shop', 100);
  expect(['old', 'new', 'other'].filter((key) => answers.view().get(key, POSITIONS))).toEqual([
    'new',
    'other',
  ]);
  // From a snapshot that may be from before the deletion.
  running.set('old', answer('shop', 99));
  expect(answers.view().get('old', POSITIONS)).toBeUndefined();
  running.set('newer', answer('shop', 101));
  expect(answers.view().get('newer', POSITIONS)).toBeDefined();
  answers.expire('shop', 50);
  expect(answers.view().get('old', POSITIONS)).toBeUndefined();
});

test('an erasure drops all answers, also those of queries that run meanwhile', async () => {
  const answers = new CountedAnswers();
  answers.view().set('earlier', answer('shop', 1));
  const before = answers.view();
  await answers.whileErasing(async () => {
    before.set('before', answer('shop', 1));
    answers.view().set('meanwhile', answer('shop', 1));
  });
  before.set('before', answer('shop', 1));
  const keys = ['earlier', 'before', 'meanwhile'];
  expect(keys.filter((key) => answers.view().get(key, POSITIONS))).toEqual([]);
  answers.view().set('after', answer('shop', 1));
  expect(answers.view().get('after', POSITIONS)).toBeDefined();
});
