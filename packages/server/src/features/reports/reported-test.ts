import type { Rule } from '@switchyard/core/api/targeting';
import { measuredUnit, measuredVariations } from '@switchyard/core/evaluation/measured-rules';
import { measureOf } from '@switchyard/core/lifecycle/guarded-rollout';
import { measuredKey } from '@switchyard/core/lifecycle/measured-key';
import { toGuardrail, toOutcome } from '../../configuration/definitions/outcome-checks.ts';
import {
  type MeasuredRuleInPlace,
  type MeasuredRuleName,
  measuredRulesOf,
} from '../../configuration/property/measured-rules.ts';
import {
  derivePerProperty,
  type PropertyConfiguration,
  type SplitTest,
} from '../../configuration/property/property-configuration.ts';
import { ApiError } from '../../platform/errors/errors.ts';

/** What reports need of a test: a split test, or a rule of a flag that is measured like one. */
export interface ReportedTest
  extends Pick<
    SplitTest,
    | 'key'
    | 'status'
    | 'hashSeed'
    | 'variations'
    | 'goals'
    | 'guardrails'
    | 'unit'
    | 'winner'
    | 'attributionDays'
    | 'plannedVisitors'
    | 'smallestEffect'
    | 'phases'
  > {
  /** Set if it is one. */
  readonly measuredRule?: MeasuredRuleName;
}

/** Days after the end of a measurement in which conversions still count, as by default for split tests. */
const ATTRIBUTION_DAYS = 7;

const reported = new WeakMap<Omit<MeasuredRuleInPlace, 'id'>, ReportedTest>();

function reportedRule(place: Omit<MeasuredRuleInPlace, 'id'>): ReportedTest {
  const known = reported.get(place);
  if (known !== undefined) return known;
  const { key, name, rule, status, measure, winner, phases } = place;
  const definition = phases.at(-1)?.definition;
  const { goals, guardrails = [], plannedVisitors = null, smallestEffect = null } = measure;
  const test = {
    key,
    status,
    hashSeed: definition?.hashSeed ?? key,
    variations: definition?.variations ?? currentVariations(rule),
    goals: goals.map(toOutcome),
    guardrails: guardrails.map(toGuardrail),
    unit: definition?.unit ?? measuredUnit(rule ?? {}),
    winner,
    attributionDays: ATTRIBUTION_DAYS,
    plannedVisitors,
    smallestEffect,
    phases,
    measuredRule: name,
  };
  reported.set(place, test);
  return test;
}

const currentVariations = (rule: Rule | undefined) =>
  rule === undefined ? [] : [...measuredVariations(rule)];

/** All split tests, and all rules that are or were measured. */
export const reportedTests = derivePerProperty((property): readonly ReportedTest[] => [
  ...property.splitTests,
  ...measuredRulesOf(property).map(reportedRule),
]);

/** A split test by its key, or a measured rule by what its exposures are stored under. */
export function findReported(property: PropertyConfiguration, key: string): ReportedTest {
  const test = reportedTests(property).find((each) => each.key === key);
  if (test === undefined) throw new ApiError('split_test_not_found');
  return test;
}

/** What a test is called; a measured rule by its flag and its place, since several rules of a flag may be measured. */
export function nameOf(
  { splitTests, flags, environments }: PropertyConfiguration,
  { key, measuredRule }: Pick<ReportedTest, 'key' | 'measuredRule'>,
): string {
  if (measuredRule === undefined) return splitTests.find((test) => test.key === key)?.name ?? key;
  const { flagKey, environment, ruleId } = measuredRule;
  const flag = flags.find((each) => each.key === flagKey);
  const rules = flag?.configurations.find((each) => each.environmentId === environment)?.rules ?? [];
  const index = rules.findIndex(({ id }) => id === ruleId);
  const { name: place = environment } = environments.find(({ id }) => id === environment) ?? {};
  return `${flag?.name ?? flagKey} (${place}, ${rules[index]?.name || `rule ${index + 1}`})`;
}

export function findSplitTest({ splitTests }: PropertyConfiguration, splitTestKey: string): SplitTest {
  const test = splitTests.find(({ key }) => key === splitTestKey);
  if (test === undefined) throw new ApiError('split_test_not_found');
  return test;
}

/** Whether the rule exists and is measured, or was until it was changed. */
export function findMeasuredRule(
  property: PropertyConfiguration,
  { flagKey, environment, ruleId }: MeasuredRuleName,
): ReportedTest {
  const flag = property.flags.find(({ key }) => key === flagKey);
  if (flag === undefined) throw new ApiError('not_found', { message: `There is no flag "${flagKey}".` });
  if (!property.environments.some(({ id }) => id === environment))
    throw new ApiError('environment_not_found');
  const place = measuredRulesOf(property).find(
    ({ name }) => name.flagKey === flagKey && name.environment === environment && name.ruleId === ruleId,
  );
  if (place !== undefined) return reportedRule(place);
  const configuration = flag.configurations.find(({ environmentId }) => environmentId === environment);
  const rule = configuration?.rules.find(({ id }) => id === ruleId);
  if (rule === undefined) {
    throw new ApiError('not_found', { message: `The flag has no rule "${ruleId}" in this environment.` });
  }
  const measure = measureOf(rule);
  if (measure === undefined) throw new ApiError('not_found', { message: 'The rule is not measured.' });
  // Nobody was compared yet: flag or rule are off.
  const name = { flagKey, environment, ruleId };
  const measured = { ruleId, measure, winner: null, phases: [] };
  return reportedRule({ ...measured, key: measuredKey(name), name, flag, rule, status: 'draft' });
}
