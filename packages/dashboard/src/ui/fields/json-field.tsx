import { Button } from '@mantine/core';
import classes from './json-field.module.css';
import { jsonProblem } from './json-problem.ts';
import { TextArea } from './text-area.tsx';

interface JsonFieldProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  description?: string | undefined;
  /** Shown once the text is JSON. */
  error?: string | undefined;
  disabled?: boolean;
  maxLength?: number;
  /** Whether the field may be empty. */
  isOptional?: boolean;
}

/** A text that must be JSON: it is checked while typing, and a button puts it in lines. */
export function JsonField({ isOptional = false, error, ...field }: JsonFieldProps) {
  const { label, value, onChange, disabled } = field;
  const isEmpty = isOptional && value.trim() === '';
  const problem = isEmpty ? undefined : jsonProblem(value);
  return (
    <div className={classes.field}>
      <TextArea {...field} rows={2} isCode spellCheck={false} error={problem ?? error} />
      <Button
        className={classes.format!}
        size="compact-xs"
        variant="subtle"
        aria-label={`Format ${label}`}
        disabled={disabled || isEmpty || problem !== undefined}
        onClick={() => onChange(JSON.stringify(JSON.parse(value), null, 2))}
      >
        Format
      </Button>
    </div>
  );
}
