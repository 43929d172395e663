import type { AssignmentSteps, RangeStep } from '@switchyard/core/api/explanations';
import { ConditionSteps, LookedAt } from './condition-steps.tsx';
import classes from './explanation-steps.module.css';
import { Step } from './step.tsx';

const position = ({ bucket, from, to }: RangeStep, who = 'visitor') =>
  `the ${who} is at ${bucket.toFixed(2)}, the range is ${from.toFixed(2)} to ${to.toFixed(2)}`;

/** The assignment of a visitor from the status of the test to the variation. */
export function AssignmentStepList({ steps }: { steps: AssignmentSteps }) {
  const { status, winner, phase, holdout, exclusion, audience, traffic, variations, variationBucket } = steps;
  const who = steps.assignedBy === 'userId' ? 'user' : 'visitor';
  return (
    <ol>
      <Step
        state={status === 'running' ? 'passed' : winner === null ? 'failed' : 'decided'}
        title="Status of the test"
        words={[status, phase && `phase ${phase}`, winner && `winner ${winner}`].filter(Boolean).join(', ')}
      />
      {holdout && (
        <Step
          state={holdout.passed ? 'passed' : 'failed'}
          title="Outside of the holdout"
          words={position(holdout)}
        />
      )}
      {exclusion && (
        <Step
          state={exclusion.passed ? 'passed' : 'failed'}
          title={`In the share of the exclusion group “${exclusion.group}”`}
          words={position(exclusion)}
        />
      )}
      {audience && (
        <Step
          state={audience.passed ? 'passed' : 'failed'}
          title="In the audience"
          words={audience.conditions.length > 1 ? `${audience.match} of these must hold` : undefined}
        >
          <ConditionSteps conditions={audience.conditions} />
          <LookedAt segments={audience.segments} shortened={audience.shortened} />
          {!audience.passed && (
            <p className={classes.detail}>
              A browser that has taken part before stays in the test nevertheless.
            </p>
          )}
        </Step>
      )}
      {traffic && (
        <Step
          state={traffic.passed ? 'passed' : 'failed'}
          title="In the share of traffic that takes part"
          words={position(traffic, who)}
        />
      )}
      {variations.map(({ key, from, to, chosen, retired }) => (
        <Step
          key={key}
          state={chosen ? 'decided' : 'skipped'}
          title={`Variation “${key}”${retired ? ', retired' : ''}`}
          words={
            variationBucket === null
              ? 'not reached'
              : `${from.toFixed(2)} to ${to.toFixed(2)}${chosen ? `, the ${who} is at ${variationBucket.toFixed(2)}` : ''}`
          }
        />
      ))}
    </ol>
  );
}
