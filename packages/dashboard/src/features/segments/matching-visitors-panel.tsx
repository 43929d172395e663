import { Text } from '@mantine/core';
import { formatCount, formatPercent, formatTime, plural } from '../../ui/format/format.ts';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import type { ManagedSegment } from '../configuration/configuration-types.ts';
import { PropertyLink } from '../configuration/property-link.tsx';
import { useMatchingVisitors } from './use-matching-visitors.ts';

interface MatchingVisitorsPanelProps {
  segment: ManagedSegment;
  /** The form shows something else than what is counted here. */
  isDraft: boolean;
}

/** How many recent visitors belong to a segment, with some of their sessions. */
export function MatchingVisitorsPanel({ segment, isDraft }: MatchingVisitorsPanelProps) {
  const query = useMatchingVisitors(segment);
  return (
    <Panel
      title="Visitors"
      hint={
        query.data &&
        `Last ${query.data.days} days, as of ${formatTime(query.data.asOf)}${isDraft ? ', as saved' : ''}`
      }
    >
      <Loaded query={query} what="the visitors" height={60}>
        {({ visitors, sampled, segment: found }) => (
          <>
            <Text size="sm">
              <strong>{formatCount(found?.after ?? 0)}</strong> of {plural(visitors, 'visitor')}
              {visitors > 0 && ` (${formatPercent((found?.after ?? 0) / visitors)})`}
              {sampled < 1 && `, in a sample of ${formatPercent(sampled)}`}
            </Text>
            {found && found.examples.matching.length > 0 && (
              <Text size="sm">
                Sessions:{' '}
                {found.examples.matching.map((id, index) => (
                  <span key={id}>
                    {index > 0 && ', '}
                    <PropertyLink to={`sessions/${encodeURIComponent(id)}`}>example {index + 1}</PropertyLink>
                  </span>
                ))}
              </Text>
            )}
            {found?.unknown.map(({ attribute, visitors: count }) => (
              <Text key={attribute} size="sm" c="dimmed">
                {attribute} is not known for {plural(count, 'visitor')}.
              </Text>
            ))}
          </>
        )}
      </Loaded>
    </Panel>
  );
}
