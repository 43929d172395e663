import type { ProvisionedSplitTest } from '@switchyard/core/api/provisioned-split-test';
import { reportLostOption, toGuardrail, toOutcome } from '../../configuration/definitions/outcome-checks.ts';
import type { Report } from '../../configuration/definitions/rule-context.ts';
import type { FeedbackType, SplitTest } from '../../configuration/property/property-configuration.ts';

const FIELDS = ['goals', 'guardrails'] as const;

type Outcomes = Pick<SplitTest, (typeof FIELDS)[number]>;

export function resolveOutcomes(entry: ProvisionedSplitTest, known: SplitTest | undefined): Outcomes {
  return {
    goals: entry.goals?.map(toOutcome) ?? known?.goals ?? [],
    guardrails: entry.guardrails?.map(toGuardrail) ?? known?.guardrails ?? [],
  };
}

/** Reports options that are removed although a stored test uses them; the candidate may change the test as well. */
export function reportLostOptions(
  types: readonly FeedbackType[],
  entries: readonly ProvisionedSplitTest[],
  stored: readonly SplitTest[],
  report: Report,
): void {
  for (const [index, { id, options }] of types.entries()) {
    for (const test of stored) {
      const given = entries.find(({ key }) => key === test.key);
      const kept = FIELDS.filter((field) => given?.[field] === undefined).flatMap((field) => test[field]);
      const path = `/feedbackTypes/${index}/options`;
      for (const outcome of kept) {
        reportLostOption(outcome, { id, options }, path, `the split test "${test.key}"`, report);
      }
    }
  }
}
