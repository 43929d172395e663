import { Icon, type IconName } from '../../../ui/page/icon.tsx';
import classes from './state-tag.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'dimmed';

const ICONS: Record<Tone, IconName> = { good: 'check', bad: 'close', warn: 'warning', dimmed: 'info' };

/** A state as text with an icon: the color is not needed to understand it. */
export function StateTag({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={`${classes.tag} ${tone}`}>
      <Icon name={ICONS[tone]} size={12} />
      {children}
    </span>
  );
}
