import { Skeleton } from '@mantine/core';
import type { Impact } from '@switchyard/core/api/impact';
import { formatCount, formatPercent, formatTime, plural } from '../../ui/format/format.ts';
import { useWasVisible } from '../../ui/hooks/use-was-visible.ts';
import { StackedTable } from '../../ui/lists/stacked-table.tsx';
import { FigureError } from '../../ui/page/late-figures.tsx';
import { ItemNameCell, ItemUsesCell } from '../changes/item-cells.tsx';
import type { ManagedSegment } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { conditionsSentence } from '../targeting/condition-sentence.ts';
import { segmentUses } from './segment-uses.ts';
import { useMatchingVisitors } from './use-matching-visitors.ts';

export function SegmentTable({ segments }: { segments: readonly ManagedSegment[] }) {
  return (
    <StackedTable head={['Name', 'Who belongs to it', 'Used by', 'Visitors, last 7 days']}>
      {segments.map((segment) => (
        <Row key={segment.id} segment={segment} />
      ))}
    </StackedTable>
  );
}

function Row({ segment }: { segment: ManagedSegment }) {
  const { configuration } = useProperty();
  const { id, name, conditions, match } = segment;
  return (
    <tr>
      <ItemNameCell list="segments" id={id} name={name} />
      <td data-label="Who">
        {conditionsSentence(conditions, match, configuration.segments) || (
          <span className="dimmed">Nobody</span>
        )}
      </td>
      <ItemUsesCell uses={segmentUses(configuration, id)} />
      <td data-label="Visitors">
        <MatchingVisitors segment={segment} />
      </td>
    </tr>
  );
}

/** Loaded when the row comes into view: counting takes a moment. */
function MatchingVisitors({ segment }: { segment: ManagedSegment }) {
  const { ref, wasVisible } = useWasVisible<HTMLDivElement>();
  const { data, error } = useMatchingVisitors(segment, wasVisible);
  return (
    <div ref={ref}>
      {data ? (
        <span title={`As of ${formatTime(data.asOf)}`}>
          <Count impact={data} />
        </span>
      ) : error ? (
        <FigureError title="Not known" error={error} />
      ) : (
        <Skeleton height={14} width={90} role="status" aria-label="Counting visitors" />
      )}
    </div>
  );
}

/** Nobody matches a condition on an attribute that no session has: that is no figure. */
function Count({ impact: { visitors, segment } }: { impact: Impact }) {
  if (visitors === 0) {
    return (
      <>
        0 <span className="dimmed">no visitors</span>
      </>
    );
  }
  const { after = 0, unknown = [] } = segment ?? {};
  const isUnknown = after === 0 && unknown.some((each) => each.visitors >= visitors);
  const missing = unknown.map((each) => {
    const whom =
      each.visitors >= visitors ? `all ${plural(visitors, 'visitor')}` : formatCount(each.visitors);
    return `${each.attribute} unknown for ${whom}`;
  });
  const share = `${formatPercent(after / visitors)} of ${plural(visitors, 'visitor')}`;
  return (
    <>
      {isUnknown ? 'Not known' : formatCount(after)}{' '}
      <span className="dimmed">{[...(isUnknown ? [] : [share]), ...missing].join(', ')}</span>
    </>
  );
}
