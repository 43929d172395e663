import type { FieldChangeSchema } from '@switchyard/core/api/management';
import type { Static } from 'typebox';
import { formatDateTime } from '../../ui/format/format.ts';
import { ComparisonTable } from '../../ui/lists/comparison-table.tsx';
import { JsonBlock } from '../../ui/page/json-block.tsx';

type FieldChange = Static<typeof FieldChangeSchema>;

interface DifferenceTableProps {
  changes: readonly FieldChange[];
  /** Which sides to show. Default: both */
  side?: 'before' | 'after' | undefined;
  labels?: { before: string; after: string };
}

const LABELS = { before: 'Before', after: 'After' };

/** The changed fields of an item with both values, below each other on a phone. */
export function DifferenceTable({ changes, side, labels = LABELS }: DifferenceTableProps) {
  const sides = side ? [side] : (['before', 'after'] as const);
  if (changes.length === 0) return <p className="dimmed">No field has changed.</p>;
  return (
    <ComparisonTable
      head={['Field', ...sides.map((each) => labels[each])]}
      rows={changes.map((change) => ({
        key: change.pointer,
        label: fieldName(change.pointer),
        cells: sides.map((each) => (
          <Value key={each} value={change[each]} isTime={/(At|\/at)$/.test(change.pointer)} />
        )),
      }))}
    />
  );
}

const fieldName = (pointer: string) =>
  pointer.slice(1).replaceAll('/', ' › ').replaceAll('~1', '/').replaceAll('~0', '~');

function Value({ value, isTime }: { value: unknown; isTime: boolean }) {
  if (value === null || value === undefined) return <span className="dimmed">not set</span>;
  if (value === '') return <span className="dimmed">empty</span>;
  if (isTime && typeof value === 'number') return formatDateTime(value);
  if (typeof value !== 'object') return String(value);
  const isPlainList = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  if (isPlainList) return value.length === 0 ? <span className="dimmed">empty</span> : value.join(', ');
  return <JsonBlock value={value} />;
}
