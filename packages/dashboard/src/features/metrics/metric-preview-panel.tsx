import { Skeleton, Text } from '@mantine/core';
import type { MetricPreview } from '@switchyard/core/api/metrics';
import { ApiProblem, isStoreUnavailable, messageOf } from '../../api.ts';
import { formatCount, plural } from '../../ui/format/format.ts';
import { BarList } from '../../ui/lists/bar-list.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { isComplete, type MetricDraft } from './metric-draft.ts';
import classes from './metric-preview-panel.module.css';
import { formatMetricValue } from './metric-value.ts';
import { useDraftPreview } from './use-metric-preview.ts';

/** What the metric in the form was in the last days, and what a test would find with it. */
export function MetricPreviewPanel({ draft }: { draft: MetricDraft }) {
  return (
    <Panel title="Preview" hint="Of all visitors, with the metric as it is in the form">
      <Preview draft={draft} />
    </Panel>
  );
}

function Preview({ draft }: { draft: MetricDraft }) {
  const { data, error, isFetching } = useDraftPreview(draft);
  if (!isComplete(draft)) {
    return <Text c="dimmed">Complete the metric, and what it was in the last days appears here.</Text>;
  }
  if (error) return <PreviewError error={error} />;
  if (data === undefined) {
    return <Skeleton height={90} role="status" aria-label="Loading the preview" />;
  }
  return (
    <div role="status" aria-busy={isFetching} className={isFetching ? classes.refreshing : undefined}>
      <Previewed preview={data} />
    </div>
  );
}

/** Nobody waits for a preview: what is wrong with the metric is said at its fields when it is saved. */
function PreviewError({ error }: { error: Error }) {
  const isInvalid = error instanceof ApiProblem && error.status === 400;
  const words = isInvalid
    ? 'No preview yet: something about the metric is not right. “Save” says what.'
    : isStoreUnavailable(error)
      ? 'Stored events cannot be read at the moment; the preview comes later.'
      : `No preview: ${messageOf(error)}`;
  return <Text c="dimmed">{words}</Text>;
}

function Previewed({ preview }: { preview: MetricPreview }) {
  const currency = useProperty().configuration.property.displayCurrency ?? 'USD';
  const { visitors, pending, reached, value, format, steps, values, kind, words } = preview;
  if (visitors === 0) {
    return (
      <Text c="dimmed">
        {pending === 0
          ? 'No visitors in the last 30 days yet.'
          : `The days of nobody are over yet: ${plural(pending, 'visitor')} still to be followed.`}
      </Text>
    );
  }
  // Without a bounce, a site is only very good.
  const isUnseen = reached === 0 && !(kind === 'page' && value !== null);
  return (
    <>
      {value !== null && <p className={classes.value}>{formatMetricValue(format, value, currency)}</p>}
      <Text size="sm">{words}</Text>
      {values !== undefined && values > 0 && (
        <Text size="sm" c="dimmed">
          {plural(values, 'value')} of {plural(reached, 'visitor')}
        </Text>
      )}
      {isUnseen && (
        <Text size="sm" mt="xs">
          No events yet: nobody did this. Check the names and paths, and that your site sends them.
        </Text>
      )}
      {steps && !isUnseen && (
        <div className={classes.steps}>
          <BarList
            label="Visitors who reached each step"
            rows={steps.map((step, index) => ({
              key: String(index),
              label: `${index + 1}. ${step.name}`,
              value: step.visitors,
            }))}
            format={formatCount}
          />
        </div>
      )}
    </>
  );
}
