import type { Condition } from '@switchyard/core/api/targeting';
import { expect, it } from 'vitest';
import { publishedConditions } from './published-conditions.ts';

const is = (attribute: string, value: string): Condition => ({
  attribute,
  operator: 'equals',
  values: [value],
});
const isIn = (...values: string[]): Condition => ({ operator: 'inSegment', values });

const SEGMENTS = [
  { id: 'staff', conditions: [is('email', 'ada@shop.example'), is('plan', 'staff')] },
  { id: 'testers', conditions: [isIn('staff'), is('country', 'DE')] },
  { id: 'other', conditions: [is('secret', 'x')] },
];

it('says what everybody can read, and what only as a hash', () => {
  const conditions = [is('path', '/pricing'), is('path', '/'), is('userId', 'u1')];
  expect(publishedConditions({ conditions }, SEGMENTS)).toEqual({
    readable: ['path'],
    hashed: ['userId'],
    segments: [],
  });
});

it('includes the segments of segments', () => {
  expect(publishedConditions({ conditions: [isIn('testers')] }, SEGMENTS)).toEqual({
    readable: ['country', 'plan'],
    hashed: ['email'],
    segments: ['testers', 'staff'],
  });
});

it('says nothing about values that are not there', () => {
  const conditions: Condition[] = [
    { attribute: 'email', operator: 'isSet' },
    { operator: 'equals', values: [] },
    isIn('deleted'),
  ];
  expect(publishedConditions({ conditions }, SEGMENTS)).toEqual({ readable: [], hashed: [], segments: [] });
});
