import { Button, Tabs } from '@mantine/core';
import type { TrafficBreakdown, TrafficDimension } from '@switchyard/core/api/traffic';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatCount, plural } from '../../ui/format/format.ts';
import { BarList } from '../../ui/lists/bar-list.tsx';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import { DimensionDialog } from './dimension-dialog.tsx';
import { DIMENSION_LABELS, type DimensionGroup, dimensionValue, NO_VALUE } from './traffic-dimensions.ts';
import { type TrafficScope, trafficQuery } from './traffic-query.ts';

interface DimensionPanelProps {
  group: DimensionGroup;
  scope: TrafficScope;
  onFilter: (dimension: TrafficDimension, value: string) => void;
}

/** Visitors by page, source, country or device; a click on a row filters the whole page. */
export function DimensionPanel({ group, scope, onFilter }: DimensionPanelProps) {
  const [dimension, setDimension] = useState<TrafficDimension>(group.dimensions[0]!);
  const [isOpen, setOpen] = useState(false);
  const breakdown = useQuery(trafficQuery<TrafficBreakdown>('breakdown', scope, { by: dimension, limit: 8 }));
  const label = DIMENSION_LABELS[dimension];
  return (
    <Panel title={group.title} hint={`${label} · visitors`}>
      {group.dimensions.length > 1 && (
        <Tabs value={dimension} onChange={(value) => setDimension(value as TrafficDimension)} mb="xs">
          <Tabs.List aria-label={group.title}>
            {group.dimensions.map((each) => (
              <Tabs.Tab key={each} value={each}>
                {DIMENSION_LABELS[each]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
      )}
      <Loaded query={breakdown} what={`the breakdown by ${label.toLowerCase()}`} height={200}>
        {({ rows, rest, by }) =>
          rows.length === 0 ? (
            <p className="dimmed">No visits in this period.</p>
          ) : (
            <>
              <BarList
                label={DIMENSION_LABELS[by]}
                format={formatCount}
                rows={rows.map(({ value, visitors }) => ({
                  key: value ?? NO_VALUE,
                  label: dimensionValue(by, value),
                  value: visitors,
                }))}
                action={{ label: 'Filter by', onSelect: ({ key }) => onFilter(by, key) }}
              />
              {rest.rows > 0 && (
                <Button mt={6} size="compact-sm" variant="subtle" onClick={() => setOpen(true)}>
                  {plural(rest.rows, 'more', 'more')}
                </Button>
              )}
            </>
          )
        }
      </Loaded>
      {isOpen && (
        <DimensionDialog
          dimension={dimension}
          scope={scope}
          onClose={() => setOpen(false)}
          onFilter={(value) => {
            setOpen(false);
            onFilter(dimension, value);
          }}
        />
      )}
    </Panel>
  );
}
