import { Skeleton } from '@mantine/core';
import { useWasVisible } from '../../ui/hooks/use-was-visible.ts';
import { StackedTable } from '../../ui/lists/stacked-table.tsx';
import { FigureError } from '../../ui/page/late-figures.tsx';
import { ItemNameCell, ItemUsesCell } from '../changes/item-cells.tsx';
import type { Metric } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { kindLabel } from './metric-kinds.ts';
import { metricSentence } from './metric-sentence.ts';
import { metricUses } from './metric-uses.ts';
import { formatMetricValue } from './metric-value.ts';
import { useMetricPreview } from './use-metric-preview.ts';

export function MetricTable({ metrics }: { metrics: readonly Metric[] }) {
  return (
    <StackedTable head={['Name', 'What it measures', 'Used by', 'Last 30 days']}>
      {metrics.map((metric) => (
        <Row key={metric.id} metric={metric} />
      ))}
    </StackedTable>
  );
}

function Row({ metric }: { metric: Metric }) {
  const { configuration } = useProperty();
  const { id, name, kind, lowerIsBetter } = metric;
  return (
    <tr>
      <ItemNameCell list="metrics" id={id} name={name} />
      <td data-label="Measures">
        <div>
          {metricSentence(metric, configuration.goals)}
          <div className="dimmed">
            {kindLabel(kind)}
            {lowerIsBetter && ', lower is better'}
          </div>
        </div>
      </td>
      <ItemUsesCell uses={metricUses(configuration, id)} />
      <td data-label="30 days" className="numeric">
        <LastDays metric={metric} />
      </td>
    </tr>
  );
}

/** Loaded when the row comes into view: it reads the events of a month. */
function LastDays({ metric }: { metric: Metric }) {
  const { ref, wasVisible } = useWasVisible<HTMLDivElement>();
  const currency = useProperty().configuration.property.displayCurrency ?? 'USD';
  const { data, error } = useMetricPreview(metric, wasVisible);
  return (
    <div ref={ref}>
      {data ? (
        <span title={data.words}>{formatMetricValue(data.format, data.value, currency)}</span>
      ) : error ? (
        <FigureError title="Not known" error={error} />
      ) : (
        <Skeleton height={14} width={60} role="status" aria-label="Loading the value" />
      )}
    </div>
  );
}
