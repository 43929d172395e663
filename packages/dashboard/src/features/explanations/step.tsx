import type { ReactNode } from 'react';
import { Icon } from '../../ui/page/icon.tsx';
import classes from './explanation-steps.module.css';

/** `decided` ended the evaluation; `passed` went on; `failed` did not match; `skipped` was not reached. */
export type StepState = 'decided' | 'passed' | 'failed' | 'skipped';

const WORDS: Record<StepState, string> = {
  decided: 'Decided',
  passed: 'Passed',
  failed: 'Did not match',
  skipped: 'Not reached',
};

interface StepProps {
  state: StepState;
  title: ReactNode;
  /** Instead of the usual words of the state. */
  words?: string | undefined;
  children?: ReactNode;
}

/** One step of an explanation. */
export function Step({ state, title, words = WORDS[state], children }: StepProps) {
  return (
    <li className={classes.step} data-state={state}>
      <span className={classes.mark}>
        <Icon name={state === 'failed' ? 'close' : state === 'skipped' ? 'more' : 'check'} size={14} />
      </span>
      <div className={classes.content}>
        <div>
          {title} <span className={classes.words}>{words}</span>
        </div>
        {children}
      </div>
    </li>
  );
}
