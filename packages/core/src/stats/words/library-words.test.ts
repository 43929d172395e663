import { expect, it } from 'vitest';
import type { LibraryTest } from '../../api/learning/library.ts';
import { describeFinished } from './library-words.ts';

type Figures = NonNullable<LibraryTest['figures']>;

const effect = (variation: string, finding: Figures['effects'][number]['finding'], estimate: number) => ({
  variation,
  visitors: 100,
  finding,
  relative: { estimate, low: estimate - 0.1, high: estimate + 0.1 },
  absolute: null,
  expected: { estimate: estimate / 2, low: 0, high: 1 },
});

const figures = (effects: Figures['effects'], more: Partial<Figures> = {}): Figures => ({
  goal: { goalId: 'signup', name: 'Sign-ups', kind: 'count', lowerIsBetter: false },
  visitors: 300,
  healthy: true,
  effects,
  whileRunning: null,
  ...more,
});

it('is about the winner, else about what was proven, else about the largest effect', () => {
  const effects = [
    effect('b', 'inconclusive', 0.3),
    effect('c', 'worse', -0.2),
    effect('d', 'inconclusive', -0.5),
  ];
  expect(describeFinished(figures(effects), 'b', null)).toBe(
    'No difference is proven for "b": +30 %, between +20 % and +40 %. Expect +15 %.',
  );
  expect(describeFinished(figures(effects), 'control', null)).toMatch(/^"c" did worse: -20 %/);
  const open = effects.filter(({ finding }) => finding === 'inconclusive');
  expect(describeFinished(figures(open), null, null)).toMatch(/^No difference is proven for "d": -50 %/);
});

it('says why there is nothing to say', () => {
  const one = [effect('b', 'better', 0.3)];
  expect(describeFinished(figures(one, { visitors: 0 }), null, null)).toBe('Nobody has seen this test.');
  expect(describeFinished(figures([], { goal: null }), null, null)).toBe('The test had no primary goal.');
  expect(describeFinished(figures([]), null, null)).toBe('The test had no second variation.');
  expect(describeFinished(figures(one, { healthy: false }), 'b', 'The split is wrong.')).toBe(
    'The figures cannot be relied on. The split is wrong.',
  );
  const unknown = { ...effect('b', 'better', 0.3), relative: null, expected: null };
  expect(describeFinished(figures([unknown]), 'b', null)).toBe('"b" did better.');
});
