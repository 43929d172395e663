import type { ReactNode } from 'react';
import { Panel } from '../../../ui/page/panel.tsx';
import classes from './editor.module.css';

interface EditorSectionProps {
  title: string;
  hint?: ReactNode;
  /** Why nothing in it can change. */
  locked: string | undefined;
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of the editor, with all its fields disabled if it is locked. */
export function EditorSection({ title, hint, locked, actions, children }: EditorSectionProps) {
  return (
    <Panel title={title} hint={locked ?? hint} actions={actions}>
      <fieldset className={classes.fields} disabled={locked !== undefined} aria-label={title}>
        {children}
      </fieldset>
    </Panel>
  );
}
