import { flagValueWords } from '@switchyard/core/words/flag-value-words';
import type { MeasuredTest } from './measured-tests.ts';

/** What people in a variation of a measured rule get. */
export function servedWords({ variations }: Pick<MeasuredTest, 'variations'>, variation: string): string {
  const value = variations.find(({ key }) => key === variation)?.value ?? '';
  // Of those outside a rollout, another rule decides.
  return value === '' ? 'what comes after the rule' : flagValueWords(JSON.parse(value));
}

/** Such as "off (the control: what comes after the rule), on (true)". */
export const comparedWords = (test: Pick<MeasuredTest, 'variations'>): string =>
  test.variations
    .map(({ key }, index) => `${key} (${index === 0 ? 'the control: ' : ''}${servedWords(test, key)})`)
    .join(', ');
