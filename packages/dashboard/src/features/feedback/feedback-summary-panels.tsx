import { Title } from '@mantine/core';
import type { FeedbackSummary } from '@switchyard/core/api/feedback';
import { relativeChange } from '../../ui/charts/stat-tile.tsx';
import { TABLE_LINE_HEIGHT, TimeChart } from '../../ui/charts/time-chart.tsx';
import {
  formatChange,
  formatCount,
  formatDateTime,
  formatDay,
  formatPercent,
  formatTime,
  plural,
} from '../../ui/format/format.ts';
import { BarList } from '../../ui/lists/bar-list.tsx';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import type { FeedbackType } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import type { ChangeFilters } from './feedback-filters.ts';
import { optionValue, presentationOf } from './feedback-options.ts';
import classes from './feedback-page.module.css';
import type { useFeedbackSummary } from './use-feedback.ts';

interface FeedbackSummaryPanelsProps {
  summary: ReturnType<typeof useFeedbackSummary>;
  onFilter: ChangeFilters;
}

/** How the feedback that matches is distributed, and its trend. */
export function FeedbackSummaryPanels({ summary, onFilter }: FeedbackSummaryPanelsProps) {
  const { result, interval } = summary;
  return (
    <div className={classes.summary}>
      <Panel title="Trend" hint={result.data ? totalWords(result.data, result.dataUpdatedAt) : ''}>
        <Loaded query={result} what="the trend" height={180 + TABLE_LINE_HEIGHT}>
          {({ series }) => (
            <TimeChart
              label={`Feedback by ${interval}`}
              at={series.map(({ at }) => at)}
              series={[{ label: 'Entries', kind: 'bar', values: series.map(({ total }) => total) }]}
              format={formatCount}
              formatAt={interval === 'hour' ? formatDateTime : formatDay}
              partial={series.map(({ partial }) => partial)}
              height={180}
            />
          )}
        </Loaded>
      </Panel>
      <Panel title="Answers">
        <Loaded query={result} what="the answers" height={180}>
          {(data) => <Answers summary={data} onFilter={onFilter} />}
        </Loaded>
      </Panel>
    </div>
  );
}

function totalWords({ total, withMessage, previous, bots }: FeedbackSummary, at: number): string {
  const change = relativeChange(total, previous.total);
  const compared = change === null ? '' : ` (${formatChange(change)} vs previous period)`;
  const words = total === 1 ? '1 entry' : plural(total, 'entry', 'entries');
  const left = bots.total === 0 ? '' : ` ${formatCount(bots.total)} of bots not counted.`;
  return `${words}${compared}, ${formatCount(withMessage)} with text.${left} As of ${formatTime(at)}`;
}

function Answers({ summary, onFilter }: { summary: FeedbackSummary; onFilter: ChangeFilters }) {
  const { feedbackTypes } = useProperty().configuration;
  if (summary.total === 0) return <p className="dimmed">No feedback matches.</p>;
  return (
    <div className={classes.answers}>
      {summary.types.map(({ feedbackTypeId, total }) => {
        const type = feedbackTypes.find(({ id }) => id === feedbackTypeId);
        const rows = answerRows(summary, feedbackTypeId, type);
        return (
          <section key={feedbackTypeId}>
            <Title order={3}>
              {type?.name ?? feedbackTypeId}{' '}
              <span className="dimmed">{plural(total, 'entry', 'entries')}</span>
            </Title>
            {rows.length > 0 && (
              <BarList
                label={`Answers of ${type?.name ?? feedbackTypeId}`}
                rows={rows}
                format={formatCount}
                action={{
                  label: 'Show only',
                  onSelect: ({ key }) => onFilter({ feedbackTypeId, option: key }),
                }}
              />
            )}
          </section>
        );
      })}
    </div>
  );
}

/** In the order of the type: ratings read from best to worst. */
function answerRows({ options }: FeedbackSummary, id: string, type: FeedbackType | undefined) {
  const own = options.filter(({ feedbackTypeId }) => feedbackTypeId === id);
  const total = own.reduce((sum, { count }) => sum + count, 0);
  const order = (type?.options ?? []).map(optionValue);
  const rank = (option: string) => (order.includes(option) ? order.indexOf(option) : order.length);
  return own
    .toSorted((a, b) => rank(a.option) - rank(b.option))
    .map(({ option, count }) => {
      const { label, color } = presentationOf(type, option);
      const text = `${formatPercent(count / total)} · ${formatCount(count)}`;
      return { key: option, label, value: count, text, color };
    });
}
