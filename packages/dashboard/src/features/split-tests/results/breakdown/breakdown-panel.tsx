import { Alert, Text } from '@mantine/core';
import { formatTime } from '../../../../ui/format/format.ts';
import { Icon } from '../../../../ui/page/icon.tsx';
import { Loaded, Panel } from '../../../../ui/page/panel.tsx';
import type { ReportedTest } from '../../reported-test.ts';
import type { Results } from '../results-types.ts';
import { useComparedVariation } from '../use-compared-variation.ts';
import { useResultFilters } from '../use-result-filters.ts';
import { useResults } from '../use-results.ts';
import { VariationSelect } from '../variation-select.tsx';
import { BreakdownRows } from './breakdown-rows.tsx';
import { BreakdownSelect } from './breakdown-select.tsx';

/** Whether groups differ, after the correction for their number. */
function SegmentDifferences({ breakdown }: Pick<Results, 'breakdown'>) {
  if (breakdown === undefined) return null;
  const isDifferent = breakdown.differences.length > 0;
  return (
    <Alert
      color={isDifferent ? 'blue' : 'gray'}
      variant="light"
      icon={<Icon name={isDifferent ? 'warning' : 'check'} />}
      mb="sm"
      p="xs"
    >
      {breakdown.words}
    </Alert>
  );
}

/** The primary goal by country, device or an attribute. */
export function BreakdownPanel({ test }: { test: ReportedTest }) {
  const [{ by }] = useResultFilters();
  const query = useResults(test, { by });
  const compared = useComparedVariation();
  const variation = query.data && compared(query.data);
  return (
    <Panel
      title="Breakdown"
      hint={query.data && `As of ${formatTime(query.data.asOf)}.`}
      actions={
        <>
          {by !== '' && <VariationSelect test={test} value={variation} />}
          <BreakdownSelect />
        </>
      }
    >
      {by === '' ? (
        <Text c="dimmed">
          Choose an attribute to see whether the effect differs between groups of visitors.
        </Text>
      ) : (
        <Loaded query={query} what="the breakdown">
          {(results) => (
            <>
              <SegmentDifferences breakdown={results.breakdown} />
              <BreakdownRows results={results} variation={variation} />
            </>
          )}
        </Loaded>
      )}
    </Panel>
  );
}
