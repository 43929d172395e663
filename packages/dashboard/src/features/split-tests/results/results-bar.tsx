import { Button, Select } from '@mantine/core';
import { formatDate, formatTime } from '../../../ui/format/format.ts';
import { RelativeTime } from '../../../ui/format/relative-time.tsx';
import type { ReportedTest } from '../reported-test.ts';
import classes from './results-bar.module.css';
import type { Results } from './results-types.ts';
import { useResultFilters } from './use-result-filters.ts';
import { useRefresh } from './use-results.ts';

/** Which phase is shown, how old its figures are, and a button that counts again. */
export function ResultsBar({ test, results }: { test: ReportedTest; results: Results | undefined }) {
  const { refresh, isRefreshing } = useRefresh();
  return (
    <div className={classes.bar}>
      <p className={classes.state} role="status">
        {results ? (
          <>
            As of {formatTime(results.asOf)} (<RelativeTime at={results.asOf} />)
            {results.bots === 'include' && ' · crawlers are counted'}
          </>
        ) : (
          'Counting …'
        )}
      </p>
      {test.phases.length > 1 && <PhaseSelect test={test} />}
      <Button size="xs" variant="default" onClick={refresh} loading={isRefreshing}>
        Refresh
      </Button>
    </div>
  );
}

function PhaseSelect({ test }: { test: ReportedTest }) {
  const [{ phase }, change] = useResultFilters();
  const latest = test.phases.at(-1)!.number;
  const options = test.phases.toReversed().map(({ number, startedAt }) => ({
    value: String(number),
    label: `Phase ${number}${number === latest ? ', latest' : ''}: ${formatDate(startedAt)}`,
  }));
  return (
    <Select
      aria-label="Phase"
      size="xs"
      w={260}
      allowDeselect={false}
      data={options}
      value={phase || String(latest)}
      onChange={(value) => change({ phase: value === String(latest) ? '' : (value ?? '') })}
    />
  );
}
