import { Alert, Text } from '@mantine/core';
import type { OverlapReport } from '@switchyard/core/api/learning/overlap';
import { useQuery } from '@tanstack/react-query';
import { request } from '../../../../api.ts';
import { formatTime } from '../../../../ui/format/format.ts';
import { useWasVisible } from '../../../../ui/hooks/use-was-visible.ts';
import { Icon } from '../../../../ui/page/icon.tsx';
import { Loaded, Panel } from '../../../../ui/page/panel.tsx';
import { useProperty } from '../../../configuration/property-context.tsx';
import { type ReportedTest, resultsOf } from '../../reported-test.ts';
import { OverlapTable } from './overlap-table.tsx';

/** Which other tests ran at the same time, and whether the effect depends on them. */
export function OverlapPanel({ test }: { test: ReportedTest }) {
  const { propertyId } = useProperty();
  const { ref, wasVisible } = useWasVisible<HTMLDivElement>();
  const query = useQuery({
    queryKey: ['overlap', propertyId, test.key, test.version],
    queryFn: ({ signal }) =>
      request<OverlapReport>(test.measuredRule ? '/v1/flags/overlap' : '/v1/split-testing/overlap', {
        query: { propertyId, ...resultsOf(test).query },
        signal,
      }),
    enabled: wasVisible,
    staleTime: 60_000,
  });
  return (
    <div ref={ref}>
      <Panel
        title="Other tests on the same visitors"
        hint={query.data ? `Of the latest phase, as of ${formatTime(query.data.asOf)}.` : ''}
      >
        <Loaded query={query} what="the other tests">
          {(report) => (
            <>
              <Summary report={report} />
              {report.tests.length > 0 && <OverlapTable report={report} />}
            </>
          )}
        </Loaded>
      </Panel>
    </div>
  );
}

/** Only what needs attention is more than a sentence. */
function Summary({ report: { summary, tests } }: { report: OverlapReport }) {
  const needsLook = tests.some(({ finding }) => finding === 'interaction' || finding === 'dependent');
  if (!needsLook) return <Text c="dimmed">{summary}</Text>;
  return (
    <Alert color="orange" variant="light" icon={<Icon name="warning" />} mb="sm" p="xs">
      {summary}
    </Alert>
  );
}
