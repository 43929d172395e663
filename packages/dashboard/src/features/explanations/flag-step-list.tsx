import type {
  ConditionStep,
  FlagSteps,
  RolloutStepResult,
  RuleStep,
} from '@switchyard/core/api/explanations';
import type { Condition } from '@switchyard/core/api/targeting';
import { useProperty } from '../configuration/property-context.tsx';
import { conditionSentence } from '../targeting/condition-sentence.ts';
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
      {segments.length > 0 && (
        <details className={classes.context}>
          <summary>Segments that were looked at</summary>
          <ul>
            {segments.map(({ id, name, matched, conditions }) => (
              <Step
                key={id}
                state={matched ? 'passed' : 'failed'}
                title={`Segment “${name ?? id}”`}
                words={matched ? 'the visitor is in it' : 'the visitor is not in it'}
              >
                <Conditions conditions={conditions} />
              </Step>
            ))}
          </ul>
        </details>
      )}
      {steps.shortened && (
        <p className="dimmed">Some conditions are left out, because there are very many.</p>
      )}
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
      <Conditions conditions={conditions} />
      {rollout && <p className={classes.detail}>{rolloutWords(rollout)}</p>}
    </Step>
  );
}

function Conditions({ conditions }: { conditions: readonly ConditionStep[] }) {
  const { segments } = useProperty().configuration;
  return (
    <ul className={classes.conditions}>
      {conditions.map((condition, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no identity
        <li key={index} className={condition.matched ? 'good' : 'dimmed'}>
          {conditionSentence(condition as Condition, segments)}
          {condition.moreValues !== undefined && ` and ${condition.moreValues} more`}
          {' — '}
          {condition.matched ? 'yes' : 'no'}
          {condition.missing && ', unknown'}
          {condition.actual !== undefined && `, it is ${JSON.stringify(condition.actual)}`}
        </li>
      ))}
    </ul>
  );
}

function rolloutWords({ percentage, attribute, unit, bucket, included }: RolloutStepResult): string {
  if (attribute === null || bucket === null) {
    return `${percentage} % rollout: the context has nothing to divide visitors by.`;
  }
  const relation = included ? 'below' : 'not below';
  return `${percentage} % rollout by ${attribute}: ${unit} is at ${bucket.toFixed(2)}, ${relation} ${percentage}.`;
}
