import { Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { keepFocus } from './keep-focus.ts';
import classes from './page.module.css';

interface PageProps {
  title: string;
  /** Beside the title: status, key, tags. */
  badges?: ReactNode;
  /** On the right: buttons. */
  actions?: ReactNode;
  /** One line below the title. */
  description?: ReactNode;
  children: ReactNode;
}

/** A document starts without focus; later pages must not lose it. */
let isFirstPage = true;

/** A page of the dashboard: the only `h1`, the document title, and the actions. */
export function Page({ title, badges, actions, description, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Switchyard`;
  }, [title]);
  useEffect(() => {
    if (!isFirstPage) keepFocus();
    isFirstPage = false;
  }, []);
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <div className={classes.heading}>
          <Title order={1} tabIndex={-1} id="page-title">
            {title}
          </Title>
          {badges}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
        {description && <div className={classes.description}>{description}</div>}
      </header>
      {children}
    </div>
  );
}
