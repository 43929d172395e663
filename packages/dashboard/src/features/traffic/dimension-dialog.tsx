import { Modal, TextInput } from '@mantine/core';
import type { TrafficBreakdown, TrafficDimension } from '@switchyard/core/api/traffic';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatCount, plural } from '../../ui/format/format.ts';
import { useInertBackground } from '../../ui/hooks/use-inert-background.ts';
import { BarList } from '../../ui/lists/bar-list.tsx';
import { Loaded } from '../../ui/page/panel.tsx';
import { DIMENSION_LABELS, dimensionValue, NO_VALUE } from './traffic-dimensions.ts';
import { type TrafficScope, trafficQuery } from './traffic-query.ts';

interface DimensionDialogProps {
  dimension: TrafficDimension;
  scope: TrafficScope;
  onClose: () => void;
  onFilter: (value: string) => void;
}

/** All values of a dimension, with a search. */
export function DimensionDialog({ dimension, scope, onClose, onFilter }: DimensionDialogProps) {
  useInertBackground();
  const [search, setSearch] = useState('');
  const breakdown = useQuery(
    trafficQuery<TrafficBreakdown>('breakdown', scope, { by: dimension, limit: 500 }),
  );
  const label = DIMENSION_LABELS[dimension];
  const matches = (text: string) => text.toLowerCase().includes(search.toLowerCase());
  return (
    <Modal opened onClose={onClose} title={label} size="lg">
      <TextInput
        aria-label={`Search by ${label.toLowerCase()}`}
        placeholder="Search …"
        mb="sm"
        data-autofocus
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <Loaded query={breakdown} what="all values" height={300}>
        {({ rows, rest }) => (
          <>
            <BarList
              label={label}
              format={formatCount}
              rows={rows
                .map(({ value, visitors }) => ({
                  key: value ?? NO_VALUE,
                  label: dimensionValue(dimension, value),
                  value: visitors,
                }))
                .filter((row) => matches(row.label))}
              action={{ label: 'Filter by', onSelect: ({ key }) => onFilter(key) }}
            />
            {rest.rows > 0 && <p className="dimmed">{plural(rest.rows, 'smaller value')} not shown.</p>}
          </>
        )}
      </Loaded>
    </Modal>
  );
}
