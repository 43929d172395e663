import { Check } from '../../ui/fields/check.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import type { ItemForm } from '../changes/use-item-form.ts';
import type { FeedbackType } from '../configuration/configuration-types.ts';
import { OptionListEditor } from './option-list-editor.tsx';

type Fields = Pick<FeedbackType, 'id' | 'name' | 'options' | 'textInput'>;

/** What visitors can answer. */
export function FeedbackTypeFields<T extends Fields>({ form }: { form: ItemForm<T> }) {
  const { draft, errors, readOnly } = form;
  const { options, textInput } = draft.value;
  const disabled = readOnly !== undefined;
  return (
    <>
      <Panel title="Answers" hint="In the order in which they are shown. Your code uses the value.">
        <OptionListEditor
          options={options}
          errors={errors}
          disabled={disabled}
          onChange={(next) => draft.change({ options: next } as Partial<T>)}
        />
      </Panel>
      <Panel title="Text">
        <Check
          kind="switch"
          label="Visitors can write a text"
          checked={textInput}
          disabled={disabled}
          onChange={(isOn) => draft.change({ textInput: isOn } as Partial<T>)}
        />
        {!textInput && options.length === 0 && (
          <p className="warn">Nobody can answer: add an answer or allow a text.</p>
        )}
      </Panel>
    </>
  );
}
