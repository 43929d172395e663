import type { ItemUse } from '../changes/use-links.tsx';
import type { Configuration } from '../configuration/configuration-types.ts';
import type { Guardrail, Outcome } from '../outcomes/outcome-options.ts';
import { type ReportedTest, resultsOf } from './reported-test.ts';
import { reportedTests } from './reported-tests.ts';
import { longTitleOf } from './split-test-facts.ts';

/** The split tests and measured rules with an outcome that matches. */
export function testUses(
  configuration: Configuration,
  isUse: (outcome: Outcome | Guardrail) => boolean,
  detailOf: (test: ReportedTest) => string,
): ItemUse[] {
  return reportedTests(configuration)
    .filter(({ goals, guardrails }) => [...goals, ...guardrails].some(isUse))
    .map((test) => {
      const { page, search } = resultsOf(test);
      return { to: page, search, label: longTitleOf(test), detail: detailOf(test) };
    });
}
