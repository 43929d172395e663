import { Select, Text } from '@mantine/core';
import type { MetricKind } from '@switchyard/core/api/metrics';
import { useParams } from '@tanstack/react-router';
import { Panel } from '../../ui/page/panel.tsx';
import { TwoColumns } from '../../ui/page/two-columns.tsx';
import { DeleteItemPanel } from '../changes/delete-item-panel.tsx';
import { ItemNameField } from '../changes/item-name-field.tsx';
import { ItemPage } from '../changes/item-page.tsx';
import { type ItemForm, useItemForm } from '../changes/use-item-form.ts';
import type { Metric } from '../configuration/configuration-types.ts';
import { ItemNotFound } from '../configuration/item-not-found.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { ItemHistory } from '../history/item-history.tsx';
import { type ReportedTest, resultsOf } from '../split-tests/reported-test.ts';
import { longTitleOf } from '../split-tests/split-test-facts.ts';
import { MetricDetails } from './metric-details.tsx';
import { asKind, type MetricDraft } from './metric-draft.ts';
import { MetricFields } from './metric-fields.tsx';
import { KIND_OPTIONS, kindHint } from './metric-kinds.ts';
import { MetricPreviewPanel } from './metric-preview-panel.tsx';
import { metricSentence } from './metric-sentence.ts';
import { metricUses, startedWith } from './metric-uses.ts';

/** One metric. */
export function MetricPage() {
  const { key = '' } = useParams({ strict: false }) as { key?: string };
  const metric = useProperty().configuration.metrics.find(({ id }) => id === key);
  if (metric !== undefined) return <MetricEditor key={key} stored={metric} />;
  return <ItemNotFound noun="metric" id={key} list="metrics" listName="Back to the list" />;
}

function MetricEditor({ stored }: { stored: Metric }) {
  const { configuration } = useProperty();
  const form = useItemForm<MetricDraft>({ type: 'metric', item: stored, page: 'metrics' });
  return (
    <ItemPage
      stored={stored}
      form={form}
      description={metricSentence(stored, configuration.goals)}
      actions={<PropertyLink to="metrics">Back to the list</PropertyLink>}
    >
      <TwoColumns
        main={<Definition form={form} started={startedWith(configuration, stored.id)} />}
        side={
          <>
            <MetricPreviewPanel draft={form.draft.value} />
            <MetricDetails form={form}>
              <ItemNameField form={form} />
            </MetricDetails>
            <DeleteItemPanel
              type="metric"
              item={stored}
              uses={metricUses(configuration, stored.id)}
              list="metrics"
            >
              A metric can be deleted when nothing uses it.
            </DeleteItemPanel>
          </>
        }
      />
      <Panel title="History">
        <ItemHistory type="metric" itemKey={stored.id} />
      </Panel>
    </ItemPage>
  );
}

interface DefinitionProps {
  form: ItemForm<MetricDraft>;
  /** Tests that have started with the metric. */
  started: readonly ReportedTest[];
}

function Definition({ form, started }: DefinitionProps) {
  const { draft, errors, readOnly } = form;
  const { kind } = draft.value;
  const isFixed = started.length > 0;
  return (
    <Panel title="What it measures">
      {isFixed && <WhyFixed tests={started} />}
      <Select
        mb="sm"
        label="Kind"
        description={kind && kindHint(kind)}
        data={KIND_OPTIONS.map(({ value, label }) => ({ value, label }))}
        value={kind ?? null}
        allowDeselect={false}
        error={errors('/kind')}
        disabled={isFixed || readOnly !== undefined}
        onChange={(next) => draft.change(asKind(next as MetricKind))}
      />
      <MetricFields form={form} isFixed={isFixed} />
    </Panel>
  );
}

const MAX_NAMED = 3;

/** What a test is measured by must not change, or its results would mean something else. */
function WhyFixed({ tests }: { tests: readonly ReportedTest[] }) {
  const more = tests.length - MAX_NAMED;
  return (
    <Text size="sm" mb="sm">
      What it measures is fixed:{' '}
      {tests.slice(0, MAX_NAMED).map((test, index) => (
        <span key={test.key}>
          {index > 0 && ', '}
          <PropertyLink to={resultsOf(test).page} search={resultsOf(test).search}>
            {longTitleOf(test)}
          </PropertyLink>
        </span>
      ))}
      {more > 0 && ` and ${more} more`} {tests.length === 1 ? 'has' : 'have'} started with it, and the results
      would silently mean something else. Name, format, description and tags can change; for anything else,
      create another metric.
    </Text>
  );
}
