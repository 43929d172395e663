import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { queryText } from '../../api.ts';
import { Choice } from '../../ui/fields/choice.tsx';
import { formatCompact } from '../../ui/format/format.ts';
import { useListPeriod } from '../../ui/hooks/use-list-period.ts';
import { usePeriod } from '../../ui/hooks/use-period.ts';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { Icon } from '../../ui/page/icon.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { FeedbackFilterBar } from './feedback-filter-bar.tsx';
import {
  FEEDBACK_FILTERS,
  type FeedbackQuery,
  feedbackQuery,
  isFlagFilter,
  STATUS_LABELS,
} from './feedback-filters.ts';
import { FeedbackList } from './feedback-list.tsx';
import classes from './feedback-page.module.css';
import { FeedbackSummaryPanels } from './feedback-summary-panels.tsx';
import { useFeedbackSummary } from './use-feedback.ts';

/** What visitors said: counts, and every entry. */
export function FeedbackInbox() {
  const { propertyId } = useProperty();
  const [filters, change] = useUrlState(FEEDBACK_FILTERS);
  const [period] = usePeriod();
  const query = feedbackQuery(propertyId, filters, period);
  const listPeriod = useListPeriod(period);
  const summary = useFeedbackSummary(query, period);
  const isFiltered = Object.values(filters).some((value) => value !== '');
  const { data } = summary.result;
  // Incomplete counts are not shown.
  const statuses = data?.complete ? data.statuses : undefined;
  return (
    <Stack gap={16}>
      <FeedbackSummaryPanels summary={summary} onFilter={change} />
      <Panel title="Entries" flush actions={<ExportLink query={query} />}>
        <div className={classes.filters}>
          <FeedbackFilterBar filters={filters} isFiltered={isFiltered} onChange={change} />
        </div>
        <div className={classes.filters}>
          <Choice
            label="Status"
            options={[
              { value: '', label: 'All' },
              ...(['new', 'seen', 'done'] as const).map((value) => ({
                value,
                label: `${STATUS_LABELS[value]}${statuses ? ` ${formatCompact(statuses[value])}` : ''}`,
              })),
            ]}
            value={filters.status}
            onChange={(status) => change({ status })}
          />
        </div>
        {isFlagFilter(filters) && (
          <div className={`dimmed ${classes.filters}`} role="status">
            Values of the flag are computed from the history and from what is known of each session, so what
            was served may differ. Feedback without a session is left out.
            {data?.flagFilter?.complete === false &&
              ' There is a lot of it: the numbers are those of the latest 5,000 entries, choose a shorter period.'}
          </div>
        )}
        <FeedbackList query={{ ...query, ...listPeriod }} />
      </Panel>
    </Stack>
  );
}

/** The browser downloads the file: it shows the progress, and goes on when the page is left. */
function ExportLink({ query }: { query: FeedbackQuery }) {
  const [isStarted, setStarted] = useState(false);
  return (
    <>
      <span role="status" className="dimmed">
        {isStarted && 'Your browser is downloading it; you can go on meanwhile.'}
      </span>
      <Button
        component="a"
        href={`/v1/feedback/export${queryText(query)}`}
        download="feedback.csv"
        size="xs"
        variant="default"
        leftSection={<Icon name="download" size={14} />}
        onClick={() => setStarted(true)}
      >
        Export CSV
      </Button>
    </>
  );
}
