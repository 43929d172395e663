import classes from './check.module.css';

interface CheckProps {
  label: string;
  /** Shown by the browser when the pointer rests on it. */
  title?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

/** A small checkbox, for options of a field. */
export function Check({ label, title, checked, onChange, disabled = false }: CheckProps) {
  return (
    <label className={classes.check} title={title}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {label}
    </label>
  );
}
