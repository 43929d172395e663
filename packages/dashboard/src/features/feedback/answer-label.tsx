import type { FeedbackType } from '../configuration/configuration-types.ts';
import { presentationOf } from './feedback-options.ts';
import classes from './feedback-page.module.css';

interface AnswerLabelProps {
  type: FeedbackType | undefined;
  /** Null: only a text was given. */
  option: string | null;
}

/** The chosen option with its label and color. */
export function AnswerLabel({ type, option }: AnswerLabelProps) {
  if (option === null) return null;
  const { label, color } = presentationOf(type, option);
  return (
    <span className={classes.answer}>
      {color && <span className={classes.dot} style={{ background: color }} />}
      {label}
    </span>
  );
}
