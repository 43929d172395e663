import { SearchField } from '../../ui/fields/search-field.tsx';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { NewItemButton } from '../changes/new-item-button.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { metricSentence } from './metric-sentence.ts';
import { MetricTable } from './metric-table.tsx';
import { NewMetricPage } from './new-metric-page.tsx';

const FILTERS = { search: '', new: '' } as const;

/** All metrics of the property; `?new=1` is the form for a new one. */
export function MetricListPage() {
  const [{ search, new: isNew }, change] = useUrlState(FILTERS);
  const { metrics, goals } = useProperty().configuration;
  if (isNew !== '') {
    return <NewMetricPage />;
  }
  const words = search.toLowerCase();
  const shown = metrics.filter((metric) =>
    [metric.id, metric.name, ...metric.tags, metricSentence(metric, goals)]
      .join(' ')
      .toLowerCase()
      .includes(words),
  );
  const newMetric = <NewItemButton onClick={() => change({ new: '1' })}>New metric</NewItemButton>;
  return (
    <Page title="Metrics" actions={newMetric}>
      {metrics.length === 0 ? (
        <EmptyState title="No metrics yet">
          <p>
            A goal says how many visitors did something. A metric asks a better question of the same events,
            and split tests are measured by it as by a goal:
          </p>
          <ul className="bullets">
            <li>What is an order worth? Revenue divided by orders.</li>
            <li>Who comes back within a week?</li>
            <li>How many get from the basket to the order, and where do the others leave?</li>
            <li>How long do nine of ten page loads take?</li>
            <li>Who sees the checkout? Page views are recorded anyway, without any code.</li>
          </ul>
          <p>Create one with “New metric”: it shows at once what it was in the last 30 days.</p>
        </EmptyState>
      ) : (
        <Panel
          title="All metrics"
          flush
          actions={
            <SearchField
              size="xs"
              aria-label="Search metrics"
              value={search}
              onChange={(text) => change({ search: text })}
            />
          }
        >
          {shown.length > 0 ? (
            <MetricTable metrics={shown} />
          ) : (
            <EmptyState title="No metric matches">Try other words.</EmptyState>
          )}
        </Panel>
      )}
    </Page>
  );
}
