import { Alert, Text } from '@mantine/core';
import { formatTime } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Loaded, Panel } from '../../../ui/panel.tsx';
import type { SplitTest } from '../../configuration/configuration-types.ts';
import { BreakdownRows } from './breakdown-rows.tsx';
import { BreakdownSelect } from './breakdown-select.tsx';
import { useComparedVariation } from './use-compared-variation.ts';
import { useResultFilters } from './use-result-filters.ts';
import { useResults } from './use-results.ts';
import { VariationSelect } from './variation-select.tsx';

/** The primary goal by country, device or an attribute. */
export function BreakdownPanel({ test }: { test: SplitTest }) {
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
          Choose an attribute to see where the variations differ: use it to find ideas for the next test, not
          to decide this one.
        </Text>
      ) : (
        <Loaded query={query} what="the breakdown">
          {(results) => (
            <>
              <Alert color="yellow" variant="light" icon={<Icon name="warning" />} mb="sm" p="xs">
                {results.breakdown?.warning}
              </Alert>
              <BreakdownRows results={results} variation={variation} />
            </>
          )}
        </Loaded>
      )}
    </Panel>
  );
}
