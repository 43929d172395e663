import type { Configuration } from '../configuration/configuration-types.ts';
import { measuredTests } from '../measured-flags/measured-tests.ts';
import type { ReportedTest } from './reported-test.ts';

const known = new WeakMap<Configuration, readonly ReportedTest[]>();

/** All split tests, then all rules that are or were measured. */
export function reportedTests(configuration: Configuration): readonly ReportedTest[] {
  const tests = known.get(configuration) ?? [...configuration.splitTests, ...measuredTests(configuration)];
  known.set(configuration, tests);
  return tests;
}

/** By what exposures and sessions call it. */
export const findReported = (configuration: Configuration, key: string): ReportedTest | undefined =>
  reportedTests(configuration).find((test) => test.key === key);
