import type { MeasuredRuleName } from '@switchyard/core/api/results';
import type { Rule } from '@switchyard/core/api/targeting';
import { measuredVariations } from '@switchyard/core/evaluation/measured-rules';
import { measuredKey } from '@switchyard/core/lifecycle/measured-key';
import { measuredStatus } from '@switchyard/core/lifecycle/measured-status';
import type {
  Configuration,
  Environment,
  Flag,
  FlagEnvironment,
} from '../configuration/configuration-types.ts';
import type { ReportedTest } from '../split-tests/reported-test.ts';

/** A rule that is or was measured. */
export interface MeasuredTest extends ReportedTest {
  measuredRule: MeasuredRuleName;
  place: string;
  flag: Flag;
  environment: Environment;
  rule: Rule;
}

const known = new WeakMap<Configuration, readonly MeasuredTest[]>();

/** The measured rules of all flags and environments. */
export function measuredTests(configuration: Configuration): readonly MeasuredTest[] {
  const { flags, environments } = configuration;
  const tests =
    known.get(configuration) ??
    flags.flatMap((flag) =>
      environments.flatMap((environment) => {
        const own = flag.environments[environment.id];
        return own === undefined ? [] : testsIn(flag, environment, own);
      }),
    );
  known.set(configuration, tests);
  return tests;
}

export const findMeasuredTest = (
  configuration: Configuration,
  flagKey: string,
  environment: string,
  ruleId: string,
): MeasuredTest | undefined => {
  const key = measuredKey({ flagKey, environment, ruleId });
  return measuredTests(configuration).find((test) => test.key === key);
};

function testsIn(flag: Flag, environment: Environment, configuration: FlagEnvironment): MeasuredTest[] {
  const { rules, measured = [] } = configuration;
  return rules.flatMap((rule, index) => {
    const before = measured.find(({ ruleId }) => ruleId === rule.id);
    const measure = rule.measure ?? before?.measure;
    if (measure === undefined) return [];
    const measuredRule = { flagKey: flag.key, environment: environment.id, ruleId: rule.id };
    return [
      {
        key: measuredKey(measuredRule),
        name: flag.name,
        description: flag.description,
        hypothesis: null,
        tags: flag.tags,
        owner: flag.owner,
        status: before === undefined ? 'draft' : measuredStatus(configuration, rule.id, true),
        startAt: null,
        variations: before?.phases.at(-1)?.definition.variations ?? [...measuredVariations(rule)],
        goals: measure.goals,
        guardrails: measure.guardrails ?? [],
        plannedVisitors: measure.plannedVisitors ?? null,
        winner: before?.winner ?? null,
        decision: null,
        phases: before?.phases ?? [],
        version: flag.version,
        createdAt: flag.createdAt,
        measuredRule,
        place: `${environment.name}, ${rule.name || `rule ${index + 1}`}`,
        flag,
        environment,
        rule,
      },
    ];
  });
}
