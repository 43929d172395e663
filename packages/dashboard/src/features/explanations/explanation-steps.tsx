import type { Explanation } from '@switchyard/core/api/explanations';
import { formatDateTime } from '../../ui/format/format.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { AssignmentStepList } from './assignment-step-list.tsx';
import classes from './explanation-steps.module.css';
import { FlagStepList } from './flag-step-list.tsx';
import { outcomeSentence } from './outcome-sentence.ts';

/** How a flag got its value or a visitor their variation, step by step. */
export function ExplanationSteps({ explanation }: { explanation: Explanation }) {
  const { flags } = useProperty().configuration;
  const { contextUsed, historical, at, version } = explanation;
  return (
    <div className={classes.explanation}>
      <p className={classes.outcome} role="status">
        {outcomeSentence(explanation, flags)}
      </p>
      <p className="dimmed">
        {historical
          ? `Computed with the definitions of ${formatDateTime(at)}`
          : 'Computed with the definitions of now'}
        {version !== null && `, version ${version}`}.
        {contextUsed.unknown.length > 0 &&
          ` Unknown here, so conditions on them do not match: ${contextUsed.unknown.join(', ')}.`}
      </p>
      {explanation.type === 'flag' ? (
        <FlagStepList flagKey={explanation.key} steps={explanation.steps} />
      ) : (
        <AssignmentStepList steps={explanation.steps} />
      )}
      <details className={classes.context}>
        <summary>What was evaluated</summary>
        <pre>{JSON.stringify(contextUsed.attributes, null, 2)}</pre>
      </details>
    </div>
  );
}
