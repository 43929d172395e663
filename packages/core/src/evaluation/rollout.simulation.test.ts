import { expect, it } from 'vitest';
import { compileFlags } from './flags.ts';
import { hashFraction } from './hash.ts';

it('includes the percentage of a rollout, and keeps included users when it grows', () => {
  const at = (percentage: number) => {
    const rules = [{ id: 'r1', rollout: { percentage }, value: true }];
    const configuration = { enabled: true, value: false, rules, prerequisites: [] };
    return compileFlags([{ key: 'f', type: 'boolean', defaultValue: false, version: 1, configuration }], [], {
      regex: () => () => false,
    });
  };
  const [small, large] = [at(10), at(35.5)];
  let [inSmall, inLarge] = [0, 0];
  for (let i = 0; i < 100_000; i++) {
    const evaluationContext = { userId: `user-${i}` };
    const [a, b] = [
      small.evaluate('f', evaluationContext)?.value,
      large.evaluate('f', evaluationContext)?.value,
    ];
    const isIncluded = hashFraction(`f:r1:user-${i}`) * 100 < 35.5;
    if (b !== isIncluded) expect.unreachable(`user-${i} is ${isIncluded ? 'not ' : ''}included`);
    if (a) inSmall++;
    if (b) inLarge++;
    if (a && !b) expect.unreachable('left when the rollout grew');
  }
  expect(Math.abs(inSmall / 100_000 - 0.1)).toBeLessThan(0.004);
  expect(Math.abs(inLarge / 100_000 - 0.355)).toBeLessThan(0.006);
});
