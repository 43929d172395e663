import { DateTimeField } from '../../../ui/fields/date-time-field.tsx';
import { displayZone } from '../../../ui/format/display-zone.ts';
import classes from './editor.module.css';
import { EditorSection } from './editor-section.tsx';
import type { FieldLock } from './field-lock.ts';
import type { SplitTestForm } from './use-split-test-form.ts';

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
      hint={`Optional. Times are in the time zone of the property, ${displayZone().name}.`}
      locked={lock.definition}
    >
      <div className={classes.columns}>
        {times.map(({ field, label, locked, empty }) => (
          <DateTimeField
            key={field}
            label={label}
            description={locked ?? (value[field] === null ? empty : utcWords(value[field]))}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={value[field] ?? undefined}
            disabled={locked !== undefined}
            onChange={(at) => change({ [field]: at ?? null })}
            error={errorAt(`/${field}`)}
          />
        ))}
      </div>
    </EditorSection>
  );
}

const utcWords = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
