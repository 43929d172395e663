import { Text } from '@mantine/core';
import type { Segment } from '@switchyard/core/api/targeting';
import { Panel } from '../../ui/page/panel.tsx';
import type { ItemForm } from '../changes/use-item-form.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { ConditionListEditor } from '../targeting/condition-list-editor.tsx';
import { conditionsSentence } from '../targeting/condition-sentence.ts';

/** What makes a visitor a member of the segment. */
export function SegmentConditions<T extends Segment>({ form }: { form: ItemForm<T> }) {
  const { segments } = useProperty().configuration;
  const { draft, errors, readOnly } = form;
  const { id, conditions, match } = draft.value;
  const sentence = conditionsSentence(conditions, match, segments);
  return (
    <Panel title="Who belongs to it">
      {sentence !== '' && (
        <Text size="sm" mb="sm">
          A visitor belongs to it if {sentence}.
        </Text>
      )}
      <ConditionListEditor
        conditions={conditions}
        match={match}
        pointer="/conditions"
        errors={errors}
        disabled={readOnly !== undefined}
        withoutSegment={id}
        emptyText="Nobody belongs to it yet: add a condition."
        onChange={(list) => draft.change(list as Partial<T>)}
      />
    </Panel>
  );
}
