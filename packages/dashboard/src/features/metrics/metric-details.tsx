import '../../ui/style/mantine-form-styles.ts';
import { Select, Stack, TagsInput } from '@mantine/core';
import type { MetricComputation, MetricFormat } from '@switchyard/core/api/metrics';
import { metricFormat } from '@switchyard/core/metrics/metric-format';
import { type ReactNode, useMemo } from 'react';
import { TextArea } from '../../ui/fields/text-area.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import type { ItemForm } from '../changes/use-item-form.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { hasFormat, isComplete, type MetricDraft } from './metric-draft.ts';

const FORMATS: Record<MetricFormat, string> = {
  number: 'Number',
  money: 'Money',
  seconds: 'Seconds',
  percent: 'Percent',
};

/** What is said about a metric: nothing of it changes results. */
export function MetricDetails({ form, children }: { form: ItemForm<MetricDraft>; children?: ReactNode }) {
  const { draft, errors, readOnly } = form;
  const { metrics } = useProperty().configuration;
  const allTags = useMemo(() => [...new Set(metrics.flatMap(({ tags }) => tags))].sort(), [metrics]);
  const { description, format, tags } = draft.value;
  const disabled = readOnly !== undefined;
  // Complete, so it has the members of its kind.
  const usual = isComplete(draft.value) ? metricFormat(draft.value as MetricComputation) : undefined;
  return (
    <Panel title="Details">
      <Stack gap="sm">
        {children}
        {hasFormat(draft.value) && (
          <Select
            label="Shown as"
            data={[
              { value: '', label: `As usual for it${usual ? ` (${FORMATS[usual].toLowerCase()})` : ''}` },
              ...Object.entries(FORMATS).map(([value, label]) => ({ value, label })),
            ]}
            value={format ?? ''}
            allowDeselect={false}
            error={errors('/format')}
            disabled={disabled}
            onChange={(next) => draft.change({ format: (next || null) as MetricFormat | null })}
          />
        )}
        <TextArea
          label="Description"
          rows={2}
          maxLength={4096}
          value={description ?? ''}
          error={errors('/description')}
          disabled={disabled}
          onChange={(text) => draft.change({ description: text || null })}
        />
        <TagsInput
          label="Tags"
          data={allTags}
          maxTags={20}
          value={[...tags]}
          error={errors('/tags')}
          disabled={disabled}
          onChange={(next) => draft.change({ tags: next })}
        />
      </Stack>
    </Panel>
  );
}
