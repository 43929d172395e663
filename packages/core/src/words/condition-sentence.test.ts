import { describe, expect, it } from 'vitest';
import type { Condition } from '../api/targeting.ts';
import { conditionSentence, conditionsSentence } from './condition-sentence.ts';

const format = {
  segments: [{ id: 'staff', name: 'Staff' }, { id: 'beta' }],
  time: (at: number) => new Date(at).toISOString(),
};

describe('conditions as sentences', () => {
  it.each<[Condition, string]>([
    [{ attribute: 'plan', operator: 'equals', values: ['pro'] }, 'plan is pro'],
    [{ attribute: 'plan', operator: 'equals', values: ['pro'], negate: true }, 'plan is not pro'],
    [{ attribute: 'country', operator: 'in', values: ['DE', 'AT'] }, 'country is one of DE, AT'],
    [{ attribute: 'country', operator: 'in', values: ['DE'] }, 'country is DE'],
    [{ attribute: 'country', operator: 'notIn', values: ['DE', 'AT'] }, 'country is none of DE, AT'],
    [
      {
        attribute: 'email',
        operator: 'endsWith',
        values: ['@a.example', '@b.example'],
        caseInsensitive: true,
      },
      'email ends with any of @a.example, @b.example (ignoring case)',
    ],
    [{ attribute: 'age', operator: 'lessThan', values: [18, 21] }, 'age is less than 18'],
    [{ attribute: 'city', operator: 'equals', values: ['New York'] }, 'city is “New York”'],
    [{ attribute: 'userId', operator: 'isSet' }, 'userId is set'],
    [{ operator: 'inSegment', values: ['staff'] }, 'the visitor is in segment Staff'],
    [
      { operator: 'inSegment', values: ['staff', 'beta'], negate: true },
      'the visitor is in none of the segments Staff, beta',
    ],
    [
      { attribute: 'since', operator: 'before', values: ['2027-01-02'] },
      'since is before 2027-01-02T00:00:00.000Z',
    ],
    [{ attribute: '', operator: 'equals' }, '… is …'],
    [
      { attribute: 'n', operator: 'in', values: [1, 2, 3, 4, 5, 6, 7] },
      'n is one of 1, 2, 3, 4, 5 and 2 more',
    ],
  ])('%j', (condition, sentence) => {
    expect(conditionSentence(condition, format)).toBe(sentence);
  });

  it('joins them', () => {
    const conditions: Condition[] = [
      { attribute: 'a', operator: 'isSet' },
      { attribute: 'b', operator: 'isNotSet' },
    ];
    expect(conditionsSentence(conditions, 'any', format)).toBe('a is set or b is not set');
    expect(conditionsSentence(conditions, undefined, format)).toBe('a is set and b is not set');
    expect(conditionsSentence(conditions, 'any', { ...format, maxConditions: 1 })).toBe('a is set or 1 more');
  });
});
