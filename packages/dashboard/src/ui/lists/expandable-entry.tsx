import { type ReactNode, useId, useState } from 'react';
import { IconButton } from '../page/icon-button.tsx';
import classes from './expandable-entry.module.css';

interface ExpandableEntryProps {
  /** Of the button that opens it, such as "Details of the change of flag a, version 2". */
  label: string;
  /** What is always shown; gets whether it is open. */
  children: (isOpen: boolean) => ReactNode;
  /** Buttons on the right. */
  actions?: ReactNode | ((isOpen: boolean) => ReactNode);
  /** Only rendered while it is open. */
  details: ReactNode;
}

/** An entry of a list that opens to its details. */
export function ExpandableEntry({ label, children, actions, details }: ExpandableEntryProps) {
  const [isOpen, setOpen] = useState(false);
  const detailsId = useId();
  return (
    <li className={classes.entry}>
      <div className={classes.head}>
        <IconButton
          icon="chevron"
          iconSize={14}
          className={classes.expand}
          size="sm"
          aria-expanded={isOpen}
          aria-controls={detailsId}
          aria-label={label}
          onClick={() => setOpen(!isOpen)}
        />
        <div className={classes.title}>{children(isOpen)}</div>
        {typeof actions === 'function' ? actions(isOpen) : actions}
      </div>
      <div id={detailsId} className={isOpen ? classes.details : undefined}>
        {isOpen && details}
      </div>
    </li>
  );
}
