import { promotedRule } from '@switchyard/core/lifecycle/promote-rule';
import { propertyPath } from '../../api.ts';
import type { ReviewOutcome } from '../changes/change-request.ts';
import { useReview } from '../changes/review-context.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import type { MeasuredTest } from './measured-tests.ts';
import { servedWords } from './variation-words.ts';

/** Ends the measurement after a review: everybody who matches the rule gets one of its variations. */
export function usePromote(test: MeasuredTest) {
  const { propertyId } = useProperty();
  const review = useReview();
  const { flag, environment, rule } = test;
  return (variant: string, comment: string): Promise<ReviewOutcome> =>
    review({
      title: `Promote “${variant}” of ${flag.name}`,
      confirmLabel: 'Promote',
      consequence: `Everybody who matches the rule gets ${servedWords(test, variant)} from now on. The measurement ends, and its results stay.`,
      method: 'POST',
      path: propertyPath(propertyId, 'flags', flag.key, 'promote'),
      body: { environment: environment.id, ruleId: rule.id, variant },
      item: { type: 'flag', key: flag.key },
      impact: { type: 'flag', key: flag.key, definition: promotedFlag(test, variant) },
      environments: [environment.id],
      comment,
    });
}

function promotedFlag({ flag, environment, rule }: MeasuredTest, variant: string): object {
  const configuration = flag.environments[environment.id]!;
  const rules = configuration.rules.map((each) =>
    each.id === rule.id ? (promotedRule(each, variant) ?? each) : each,
  );
  return {
    ...flag,
    environments: { ...flag.environments, [environment.id]: { ...configuration, rules } },
  };
}
