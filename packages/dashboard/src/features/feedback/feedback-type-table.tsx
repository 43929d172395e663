import { Group } from '@mantine/core';
import { StackedTable } from '../../ui/lists/stacked-table.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { ItemNameCell } from '../changes/item-cells.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { AnswerLabel } from './answer-label.tsx';
import { optionValue } from './feedback-options.ts';

const MAX_OPTIONS = 12;

export function FeedbackTypeTable() {
  const { feedbackTypes } = useProperty().configuration;
  return (
    <Panel title="Feedback types" flush>
      <StackedTable head={['Name', 'Answers', 'Text', 'Entries']}>
        {feedbackTypes.map((type) => (
          <tr key={type.id}>
            <ItemNameCell list="feedback/types" id={type.id} name={type.name} />
            <td data-label="Answers">
              <Group gap="4px 14px">
                {type.options
                  .slice(0, MAX_OPTIONS)
                  .map(optionValue)
                  .map((option) => (
                    <AnswerLabel key={option} type={type} option={option} />
                  ))}
                {type.options.length > MAX_OPTIONS && (
                  <span className="dimmed">{type.options.length - MAX_OPTIONS} more</span>
                )}
                {type.options.length === 0 && <span className="dimmed">None</span>}
              </Group>
            </td>
            <td data-label="Text">{type.textInput ? 'Yes' : 'No'}</td>
            <td data-label="Entries">
              <PropertyLink
                to="feedback"
                search={{ feedbackTypeId: type.id }}
                aria-label={`Show entries of ${type.name}`}
              >
                Show entries
              </PropertyLink>
            </td>
          </tr>
        ))}
      </StackedTable>
    </Panel>
  );
}
