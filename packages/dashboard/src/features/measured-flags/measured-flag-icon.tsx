import { Icon } from '../../ui/page/icon.tsx';
import classes from './measured-flag-icon.module.css';

/** Among split tests, says that it is a rule of a flag. */
export const MeasuredFlagIcon = () => (
  <span className={classes.icon} role="img" aria-label="Measured flag" title="Measured flag">
    <Icon name="flags" size={14} />
  </span>
);
