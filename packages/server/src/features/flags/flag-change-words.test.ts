import { expect, it } from 'vitest';
import type { ChangeWords } from '../../configuration/words/change-words.ts';
import { FLAG_WORDS } from './flag-change-words.ts';

const split = [
  { value: 'a', weight: 1 },
  { value: 'b', weight: 1 },
];
const inProduction = (rules: unknown) => ({ production: { rules } });

/** The lines about a change of the rules in production. */
function linesOf(from: unknown, to: unknown): string[] {
  const change: Parameters<ChangeWords>[0] = {
    from: inProduction(from),
    to: inProduction(to),
    isNew: false,
    names: { goals: [{ id: 'signup', name: 'Sign-ups' }] },
  };
  return FLAG_WORDS.environments!(change);
}

it('tells the shares of a split', () => {
  const raised = [split[0], { value: 'b', weight: 3 }];
  expect(linesOf([{ id: 'r', split }], [{ id: 'r', split: raised }])).toEqual([
    'production, rule 1: serves a (50 %) or b (50 %) → a (25 %) or b (75 %)',
  ]);
  expect(linesOf([{ id: 'r', value: 'a' }], [{ id: 'r', split }])).toEqual([
    'production, rule 1: serves one value → a (50 %) or b (50 %)',
  ]);
});

it('tells that a split changes of which only the pointers are known', () => {
  const weight = (number: number) => ({ 0: { split: { 1: { weight: number } } } });
  expect(linesOf(weight(1), weight(3))).toEqual(['production, rule 1: split changed']);
});

it('tells what a rule is measured by', () => {
  const measure = {
    goals: ['signup', { feedbackType: 'nps', option: 'good' }],
    guardrails: [{ goalId: 'refunds', maxHarm: 0.1 }],
    plannedVisitors: 5000,
    smallestEffect: 0.05,
  };
  const rule = { id: 'r', rollout: { percentage: 50 }, value: 'a' };
  const words =
    'measured by Sign-ups, nps: good, guardrails refunds (harm of at most 10 %), planned for 5000 visitors, smallest effect 5 %';
  expect(linesOf([rule], [{ ...rule, measure }])).toEqual([`production, rule 1: ${words}`]);
  expect(linesOf([{ ...rule, measure }], [rule])).toEqual(['production, rule 1: no longer measured']);
  expect(linesOf([], [{ ...rule, measure }])).toEqual([
    'Rule 1 added in production: serve a to 50 % of everyone, measured',
  ]);
  // Of a change that is only known by its pointers.
  const part = (goal: string) => ({ 0: { measure: { goals: { 1: goal } } } });
  expect(linesOf(part('a'), part('b'))).toEqual(['production, rule 1: what it is measured by changed']);
});

it('tells the guardrails of a rollout, and by how much they may get worse', () => {
  const rule = (guardrails: unknown[]) => ({ id: 'r', value: 'a', rollout: { percentage: 5, guardrails } });
  expect(linesOf([rule(['signup'])], [rule([{ goalId: 'signup', maxHarm: 0.2 }])])).toEqual([
    'production, rule 1: guardrails of the rollout Sign-ups → Sign-ups (harm of at most 20 %)',
  ]);
});
