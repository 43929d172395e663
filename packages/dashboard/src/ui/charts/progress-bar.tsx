import classes from './progress-bar.module.css';

interface ProgressBarProps {
  /** From 0 to 1; more is shown as 1. */
  share: number;
  /** Left out where the words beside it say the same. */
  label?: string;
  color?: 'accent' | 'good' | 'warn';
}

export function ProgressBar({ share, label, color = 'accent' }: ProgressBarProps) {
  const width = `${Math.min(Math.max(share, 0), 1) * 100}%`;
  return (
    <div className={classes.bar} {...(label && { role: 'img', 'aria-label': label })}>
      <div style={{ width, background: `var(--sy-${color})` }} />
    </div>
  );
}
