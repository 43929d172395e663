import type { Configuration } from '../configuration/configuration-types.ts';
import { reportedTests } from './reported-tests.ts';
import { longTitleOf } from './split-test-facts.ts';

/** For filters: the split tests, and the rules that are or were measured. */
export const testOptions = (configuration: Configuration): { value: string; label: string }[] =>
  reportedTests(configuration).map((test) => ({ value: test.key, label: longTitleOf(test) }));
