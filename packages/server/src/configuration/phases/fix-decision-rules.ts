import type { DecisionRule } from '@switchyard/core/api/decision/decision-rule';
import { decisionRuleOf } from '@switchyard/core/stats/report/decision-rule';
import type { PropertyConfiguration, SplitTest } from '../property/property-configuration.ts';
import { reportGoals } from '../property/report-goals.ts';

/** What decides about a test as it is configured now. */
export function currentDecisionRule(property: PropertyConfiguration, test: SplitTest): DecisionRule {
  return decisionRuleOf(test, reportGoals(property, test), property.statistics);
}

/**
 * Fixes the decision rules of tests that have just started; the same object if there are none. Tests that started
 * before rules were fixed have none and get none: it would not be what they were started with.
 */
export function fixDecisionRules(
  previous: PropertyConfiguration | undefined,
  property: PropertyConfiguration,
): PropertyConfiguration {
  const before = new Map(previous?.splitTests.map((test) => [test.key, test]));
  let changed = false;
  const splitTests = property.splitTests.map((test): SplitTest => {
    const [first] = test.phases;
    const hadStarted = (before.get(test.key)?.phases.length ?? 0) > 0;
    if (first === undefined || hadStarted) return test;
    changed = true;
    return {
      ...test,
      decisionRule: { fixedAt: first.startedAt, rule: currentDecisionRule(property, test) },
    };
  });
  return changed ? { ...property, splitTests } : property;
}
