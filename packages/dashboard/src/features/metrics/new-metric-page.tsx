import { OptionList } from '../../ui/fields/option-list.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { TwoColumns } from '../../ui/page/two-columns.tsx';
import { NewItemPage } from '../changes/new-item-page.tsx';
import { useItemForm } from '../changes/use-item-form.ts';
import { MetricDetails } from './metric-details.tsx';
import { asKind, type MetricDraft, NEW_METRIC } from './metric-draft.ts';
import { MetricFields } from './metric-fields.tsx';
import { KIND_OPTIONS, kindLabel } from './metric-kinds.ts';
import { MetricPreviewPanel } from './metric-preview-panel.tsx';

/** The form for a new metric: what it is about is chosen first. */
export function NewMetricPage() {
  const form = useItemForm<MetricDraft>({ type: 'metric', item: NEW_METRIC, page: 'metrics' });
  const { draft, errors } = form;
  const { kind } = draft.value;
  return (
    <NewItemPage
      noun="Metric"
      form={form}
      example="Revenue per order"
      list="metrics"
      fields={
        <OptionList
          label="What do you want to know?"
          options={KIND_OPTIONS}
          value={kind === undefined ? [] : [kind]}
          error={errors('/kind')}
          onChange={([next]) => next && draft.change(asKind(next))}
        />
      }
    >
      {kind !== undefined && (
        <TwoColumns
          main={
            <Panel title={kindLabel(kind)}>
              <MetricFields form={form} />
            </Panel>
          }
          side={
            <>
              <MetricPreviewPanel draft={draft.value} />
              <MetricDetails form={form} />
            </>
          }
        />
      )}
    </NewItemPage>
  );
}
