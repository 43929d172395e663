import type { ProvisionedFlag, ProvisionedRule } from '@switchyard/core/api/provisioning';
import {
  type KnownOutcomes,
  reportLostOption,
  reportOutcomes,
  toGuardrail,
  toOutcome,
} from '../../configuration/definitions/outcome-checks.ts';
import type { Report } from '../../configuration/definitions/rule-context.ts';
import type { FeedbackType, Flag } from '../../configuration/property/property-configuration.ts';

/** Reports what is wrong with what the rules of a candidate are measured by. */
export function reportMeasures(
  { environments = {} }: ProvisionedFlag,
  known: Flag | undefined,
  path: string,
  outcomes: KnownOutcomes,
  report: Report,
): void {
  for (const [environmentId, { rules = [] }] of Object.entries(environments)) {
    const stored = known?.configurations.find((each) => each.environmentId === environmentId)?.rules ?? [];
    for (const [index, rule] of rules.entries()) {
      const place = `${path}/environments/${environmentId}/rules/${index}`;
      const before = stored.find(({ id }) => id === rule.id);
      if (rule.measure !== undefined) reportMeasure(rule, before, `${place}/measure`, outcomes, report);
      if (rule.rollout?.guardrails !== undefined) {
        reportGuardrails(rule.rollout, before?.rollout, `${place}/rollout`, outcomes, report);
      }
    }
  }
}

function reportGuardrails(
  { guardrails = [], percentage, schedule }: NonNullable<Given['rollout']>,
  before: Given['rollout'],
  path: string,
  outcomes: KnownOutcomes,
  report: Report,
): void {
  const lists = { goals: [], guardrails: guardrails.map(toGuardrail) };
  reportOutcomes({ guardrails }, lists, outcomes, path, report);
  if (percentage >= 100) {
    report(`${path}/guardrails`, 'need a rollout below 100 %: otherwise there is nobody to compare with');
  } else if (schedule === undefined && before?.guardrails === undefined) {
    // Once it has begun, it may have made all of its steps.
    report(`${path}/guardrails`, 'need a schedule: they decide whether its steps are made');
  }
}

type Given = Pick<ProvisionedRule, 'measure' | 'rollout' | 'split'>;

function reportMeasure(
  { measure = { goals: [] }, rollout, split }: Given,
  before: Given | undefined,
  path: string,
  outcomes: KnownOutcomes,
  report: Report,
): void {
  const { goals, guardrails = [] } = measure;
  const lists = { goals: goals.map(toOutcome), guardrails: guardrails.map(toGuardrail) };
  reportOutcomes(measure, lists, outcomes, path, report);
  // Its schedule may have brought it to everybody: its test is over then, and the rule stays as it is.
  const isOver = before?.measure !== undefined && (before.rollout?.percentage ?? 0) >= 100;
  if (split === undefined && (rollout?.percentage ?? 0) >= 100 && !isOver) {
    report(path, 'needs a split, or a rollout below 100 %: otherwise there is nothing to compare');
  }
}

/** Reports options that are removed although a stored rule is measured by them; the candidate may change the rule as well. */
export function reportLostMeasureOptions(
  types: readonly FeedbackType[],
  entries: readonly ProvisionedFlag[],
  stored: readonly Flag[],
  report: Report,
): void {
  for (const { key, configurations } of stored) {
    const given = entries.find((entry) => entry.key === key);
    for (const { environmentId, rules } of configurations) {
      if (given?.environments?.[environmentId]?.rules !== undefined) continue;
      const outcomes = rules.flatMap(({ measure, rollout }) => [
        ...(rollout?.guardrails?.map(toGuardrail) ?? []),
        ...(measure?.goals.map(toOutcome) ?? []),
        ...(measure?.guardrails?.map(toGuardrail) ?? []),
      ]);
      for (const [index, type] of types.entries()) {
        const path = `/feedbackTypes/${index}/options`;
        for (const outcome of outcomes) reportLostOption(outcome, type, path, `the flag "${key}"`, report);
      }
    }
  }
}
