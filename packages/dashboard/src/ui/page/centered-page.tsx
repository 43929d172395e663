import { Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import classes from './centered-page.module.css';

/** A page without navigation: sign-in, setup, invitation. */
export function CenteredPage({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Switchyard`;
  }, [title]);
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <p className={classes.brand}>Switchyard</p>
        <Title order={1} mb="md">
          {title}
        </Title>
        {children}
      </div>
    </main>
  );
}
