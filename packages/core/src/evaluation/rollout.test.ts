import { describe, expect, it } from 'vitest';
import { hashFraction } from './hash.ts';
import { AttributeReaders } from './once-per-pass.ts';
import { compileRollout, explainDraw } from './rollout.ts';

const bucket = (text: string) => hashFraction(text) * 100;

describe('explainDraw', () => {
  it('tells which attribute was hashed, and where it is', () => {
    expect(
      explainDraw('flag', { id: 'rule', rollout: { percentage: 0.001 } }, { email: 'e', userId: 'u' }),
    ).toEqual({
      percentage: 0.001,
      attribute: 'userId',
      unit: 'u',
      bucket: bucket('flag:rule:u'),
      included: false,
    });
    const rollout = { percentage: 99.999, by: 'company', salt: 'salt' };
    expect(explainDraw('flag', { id: 'rule', rollout }, { company: 7, userId: 'u' })).toEqual({
      percentage: 99.999,
      attribute: 'company',
      unit: '7',
      bucket: bucket('flag:salt:7'),
      included: true,
    });
  });

  it.each([
    [99, false],
    [100, true],
  ])('includes nobody without an id, except in 100 percent: %s', (percentage, included) => {
    const nothing = { percentage, attribute: null, unit: null, bucket: null, included };
    expect(explainDraw('flag', { id: 'rule', rollout: { percentage } }, { plan: 'pro' })).toEqual(nothing);
    expect(
      explainDraw('flag', { id: 'rule', rollout: { percentage, by: 'company' } }, { userId: 'u' }),
    ).toEqual(nothing);
  });
});

describe('compileRollout', () => {
  it('includes those below the percentage', () => {
    const at = (percentage: number) =>
      compileRollout('flag', 'rule', { percentage }, new AttributeReaders({ id: 0 }))({ userId: 'u' });
    const limit = bucket('flag:rule:u');
    expect([at(0), at(limit), at(limit + 1e-9), at(100)]).toEqual([false, false, true, true]);
    expect([at(Number.NaN), at(-1), at(101)]).toEqual([false, false, true]);
  });
});
