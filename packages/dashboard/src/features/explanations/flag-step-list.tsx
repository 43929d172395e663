import type { FlagSteps, RolloutStepResult, RuleStep } from '@switchyard/core/api/explanations';
import { ConditionSteps, LookedAt } from './condition-steps.tsx';
import classes from './explanation-steps.module.css';
import { Step, type StepState } from './step.tsx';

/** The evaluation of a flag from its switch to the rule that decided. */
export function FlagStepList({ steps }: { steps: FlagSteps }) {
  const { configured, enabled, prerequisites, rules, segments, fallthrough } = steps;
  const isMet = prerequisites.every(({ met }) => met);
  const decidedBy = rules.some(({ outcome }) => outcome === 'served');
  const isOn = configured && enabled;
  const byDefault = `so the default ${JSON.stringify(steps.defaultValue)} is served`;
  return (
    <>
      <ol>
        <Step
          state={isOn ? 'passed' : 'failed'}
          title="The flag in this environment"
          words={isOn ? 'is on' : `${configured ? 'is off' : 'has no configuration'}, ${byDefault}`}
        />
        {prerequisites.map(({ flag, expected, actual, met }) => (
          <Step
            key={flag}
            state={met ? 'passed' : 'failed'}
            title={`Flag “${flag}” must be ${JSON.stringify(expected)}`}
            words={`it is ${JSON.stringify(actual)}${met ? '' : `, ${byDefault}`}`}
          />
        ))}
        {rules.map((rule) => (
          <RuleStepItem key={rule.index} rule={rule} />
        ))}
        {isOn && (
          <Step
            state={decidedBy || !isMet ? 'skipped' : 'decided'}
            title={`Everybody else: ${JSON.stringify(fallthrough)}`}
          />
        )}
      </ol>
      <LookedAt segments={segments} shortened={steps.shortened} />
    </>
  );
}

const RULE_STATES: Record<RuleStep['outcome'], { state: StepState; words: string }> = {
  served: { state: 'decided', words: 'decided' },
  'no-match': { state: 'failed', words: 'does not match' },
  'rolled-out-to-others': {
    state: 'failed',
    words: 'matches, but the rollout does not include this visitor',
  },
  'turned-off': { state: 'skipped', words: 'is turned off' },
  'not-reached': { state: 'skipped', words: 'not reached' },
};

function RuleStepItem({ rule }: { rule: RuleStep }) {
  const { index, name, id, value, outcome, conditions = [], rollout } = rule;
  return (
    <Step title={`Rule ${index + 1}, ${name || id}: ${JSON.stringify(value)}`} {...RULE_STATES[outcome]}>
      <ConditionSteps conditions={conditions} />
      {rollout && <p className={classes.detail}>{rolloutWords(rollout)}</p>}
    </Step>
  );
}

function rolloutWords({ percentage, attribute, unit, bucket, included }: RolloutStepResult): string {
  if (attribute === null || bucket === null) {
    return `${percentage} % rollout: the context has nothing to divide visitors by.`;
  }
  const relation = included ? 'below' : 'not below';
  return `${percentage} % rollout by ${attribute}: ${unit} is at ${bucket.toFixed(2)}, ${relation} ${percentage}.`;
}
