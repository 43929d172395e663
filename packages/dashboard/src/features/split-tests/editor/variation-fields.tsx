import { Button, TextInput, Tooltip } from '@mantine/core';
import { NumberField } from '../../../ui/fields/number-field.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { MoveButtons } from '../../../ui/lists/move-buttons.tsx';
import { IconButton } from '../../../ui/page/icon-button.tsx';
import classes from './editor.module.css';
import type { SplitTestDraft } from './split-test-draft.ts';
import type { SplitTestForm } from './use-split-test-form.ts';

type Variation = SplitTestDraft['variations'][number];

interface VariationFieldsProps {
  form: SplitTestForm;
  index: number;
  variation: Variation;
  /** Percentage of the participants. */
  share: number;
  onChange: (changes: Partial<Variation>) => void;
  onMove: (to: number) => void;
  onRemove: (() => void) | undefined;
}

export function VariationFields(props: VariationFieldsProps) {
  const { form, index, variation, share, onChange, onMove, onRemove } = props;
  const { key, weight, retired = false } = variation;
  const error = (field: keyof Variation) => form.errorAt(`/variations/${index}/${field}`);
  const name = key || `variation ${index + 1}`;
  return (
    <li className={classes.variation}>
      <div className={classes.line}>
        <TextInput
          label={index === 0 ? 'Key of the control' : `Key of variation ${index + 1}`}
          value={key}
          readOnly={retired}
          onChange={(event) => onChange({ key: event.currentTarget.value })}
          error={error('key')}
        />
        <NumberField
          label="Weight"
          aria-label={`Weight of ${name}`}
          value={weight}
          onChange={(next) => onChange({ weight: next ?? 0 })}
          error={error('weight')}
        />
        <output className={classes.share} aria-live="off" aria-label={`Share of ${name}`}>
          {share} %
        </output>
        <div className={classes.actions}>
          <MoveButtons
            name={name}
            index={index}
            count={form.value.variations.length}
            disabled={false}
            onMove={onMove}
          />
          <Tooltip label={onRemove ? `Remove ${name}` : 'A test needs at least one variation'}>
            <IconButton
              icon="trash"
              aria-label={`Remove ${name}`}
              disabled={onRemove === undefined}
              onClick={onRemove}
            />
          </Tooltip>
        </div>
      </div>
      <ValueField
        type={form.value.type}
        isNew={form.stored === undefined}
        name={name}
        value={variation.value}
        error={error('value')}
        isReadOnly={retired}
        onChange={(value) => onChange({ value })}
      />
      {retired ? (
        <p className={classes.buttons}>
          <span className="badge">Retired</span>
          Its visitors see the control and are not counted.
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Bring back ${name}`}
            onClick={() => onChange({ retired: undefined })}
          >
            Bring back
          </Button>
        </p>
      ) : (
        <p className={classes.preview}>
          Code gets <code>{preview(form.value.type, variation)}</code>
        </p>
      )}
    </li>
  );
}

interface ValueFieldProps {
  type: SplitTestDraft['type'];
  isNew: boolean;
  name: string;
  value: string;
  error: string | undefined;
  isReadOnly: boolean;
  onChange: (value: string) => void;
}

function ValueField({ type, isNew, name, value, error, isReadOnly, onChange }: ValueFieldProps) {
  const common = { label: `Value of ${name}`, value, error, readOnly: isReadOnly, onChange };
  if (type === 'id') return null;
  if (type !== 'json') return <TextArea {...common} />;
  // In a running test, other white space would be another variation and open a phase.
  return <TextArea {...common} rows={3} isCode onBlur={() => isNew && onChange(formatJson(value))} />;
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const MAX_PREVIEW = 160;

/** The value as the code of a page sees it. */
function preview(type: SplitTestDraft['type'], { key, value }: Variation): string {
  if (type === 'id') return JSON.stringify(key);
  if (type === 'text') return shorten(JSON.stringify(value));
  try {
    return shorten(JSON.stringify(JSON.parse(value)));
  } catch {
    return 'nothing: the value is not valid JSON';
  }
}

const shorten = (text: string) => (text.length > MAX_PREVIEW ? `${text.slice(0, MAX_PREVIEW)}…` : text);
