import type { FlagSteps, RolloutStepResult, RuleStep } from '@switchyard/core/api/explanations';
import type { FlagValue } from '@switchyard/core/api/targeting';
import { useProperty } from '../configuration/property-context.tsx';
import { ConditionSteps, LookedAt } from './condition-steps.tsx';
import classes from './explanation-steps.module.css';
import { Step, type StepState } from './step.tsx';
import { valueWriter } from './value-text.ts';

/** The evaluation of a flag from its switch to the rule that decided. */
export function FlagStepList({ flagKey, steps }: { flagKey: string; steps: FlagSteps }) {
  const { flags } = useProperty().configuration;
  const { configured, enabled, prerequisites, rules, segments, fallthrough } = steps;
  const write = valueWriter(flags, flagKey);
  const isMet = prerequisites.every(({ met }) => met);
  const decidedBy = rules.some(({ outcome }) => outcome === 'served');
  const isOn = configured && enabled;
  const byDefault = `so the default ${write(steps.defaultValue)} is served`;
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
            title={`Flag “${flag}” must be ${valueWriter(flags, flag)(expected)}`}
            words={`it is ${valueWriter(flags, flag)(actual)}${met ? '' : `, ${byDefault}`}`}
          />
        ))}
        {rules.map((rule) => (
          <RuleStepItem key={rule.index} rule={rule} write={write} />
        ))}
        {isOn && (
          <Step
            state={decidedBy || !isMet ? 'skipped' : 'decided'}
            title={`Everybody else: ${write(fallthrough)}`}
          />
        )}
      </ol>
      <LookedAt segments={segments} shortened={steps.shortened} />
    </>
  );
}

type WriteValue = (value: FlagValue | null) => string;

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

function RuleStepItem({ rule, write }: { rule: RuleStep; write: WriteValue }) {
  const { index, name, id, outcome, conditions = [], rollout, measured } = rule;
  return (
    <Step title={`Rule ${index + 1}, ${name || id}: ${servedText(rule, write)}`} {...RULE_STATES[outcome]}>
      <ConditionSteps conditions={conditions} />
      {rollout && <p className={classes.detail}>{rolloutWords(rollout)}</p>}
      {rollout?.split && <SplitRanges split={rollout.split} write={write} />}
      {measured !== undefined && <p className={classes.detail}>Measured as “{measured}”.</p>}
    </Step>
  );
}

/** A rule has one value, or a split that tells the served one once it is reached. */
function servedText({ value, rollout }: RuleStep, write: WriteValue): string {
  const served = rollout?.split?.find((entry) => entry.served);
  if (served !== undefined) return write(served.value);
  return value === undefined ? 'a value by percentage' : write(value);
}

function rolloutWords({ percentage, attribute, unit, bucket, included, split }: RolloutStepResult): string {
  const what = split === undefined ? `${percentage} % rollout` : splitWords(percentage);
  if (attribute === null || bucket === null) {
    // Everyone gets the same, so nothing has to be drawn.
    if (included) return `${what}: one value for everyone.`;
    return `${what}: the context has nothing to divide visitors by.`;
  }
  const place = `${what} by ${attribute}: ${unit} is at ${bucket.toFixed(2)}`;
  if (split === undefined) return `${place}, ${included ? 'below' : 'not below'} ${percentage}.`;
  return `${place}, ${included ? 'within the range of a value' : 'outside of all ranges'}.`;
}

const splitWords = (percentage: number): string => (percentage < 100 ? `Split of ${percentage} %` : 'Split');

interface SplitRangesProps {
  split: NonNullable<RolloutStepResult['split']>;
  write: WriteValue;
}

/** The part of 0 to 100 that gets each value. */
function SplitRanges({ split, write }: SplitRangesProps) {
  return (
    <ul className={classes.conditions}>
      {split.map(({ variant, value, from, to, served }, index) => (
        <li key={variant} className={served ? 'good' : 'dimmed'}>
          {from.toFixed(2)} to {to.toFixed(2)}: {write(value)}
          {variant !== String(index) && `, variant “${variant}”`}
          {served && ' — served'}
        </li>
      ))}
    </ul>
  );
}
