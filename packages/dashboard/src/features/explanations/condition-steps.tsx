import type { ConditionStep, SegmentStep } from '@switchyard/core/api/explanations';
import type { Condition } from '@switchyard/core/api/targeting';
import { useProperty } from '../configuration/property-context.tsx';
import { conditionSentence } from '../targeting/condition-sentence.ts';
import classes from './explanation-steps.module.css';
import { Step } from './step.tsx';

/** Conditions, and whether each holds. */
export function ConditionSteps({ conditions }: { conditions: readonly ConditionStep[] }) {
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

interface LookedAtProps {
  segments: readonly SegmentStep[];
  /** Some conditions are left out. */
  shortened?: boolean | undefined;
}

/** The segments that conditions asked for. */
export function LookedAt({ segments, shortened = false }: LookedAtProps) {
  return (
    <>
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
                <ConditionSteps conditions={conditions} />
              </Step>
            ))}
          </ul>
        </details>
      )}
      {shortened && <p className="dimmed">Some conditions are left out, because there are very many.</p>}
    </>
  );
}
