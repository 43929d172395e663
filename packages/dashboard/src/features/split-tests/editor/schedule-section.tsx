import { TextInput } from '@mantine/core';
import classes from './editor.module.css';
import { EditorSection } from './editor-section.tsx';
import type { FieldLock } from './field-lock.ts';
import type { SplitTestForm } from './use-split-test-form.ts';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function ScheduleSection({ form, lock }: { form: SplitTestForm; lock: FieldLock }) {
  const { value, change, errorAt } = form;
  const byHand = (verb: string) => `Empty: somebody ${verb} the test by hand`;
  const times = [
    { field: 'startAt', label: 'Start', locked: lock.start, empty: byHand('starts') },
    { field: 'stopAt', label: 'Stop', locked: undefined, empty: byHand('stops') },
  ] as const;
  return (
    <EditorSection
      title="Schedule"
      hint={`Optional. Times are in your time zone, ${ZONE}.`}
      locked={lock.definition}
    >
      <div className={classes.columns}>
        {times.map(({ field, label, locked, empty }) => (
          <TextInput
            key={field}
            type="datetime-local"
            label={label}
            description={locked ?? (value[field] === null ? empty : utcWords(value[field]))}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={toLocal(value[field])}
            disabled={locked !== undefined}
            onChange={(event) => change({ [field]: fromLocal(event.currentTarget.value) })}
            error={errorAt(`/${field}`)}
          />
        ))}
      </div>
    </EditorSection>
  );
}

/** As the input has it: local time without a zone. */
function toLocal(at: number | null): string {
  if (at === null) return '';
  const offset = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - offset).toISOString().slice(0, 16);
}

const fromLocal = (text: string): number | null => (text === '' ? null : new Date(text).getTime());

const utcWords = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
