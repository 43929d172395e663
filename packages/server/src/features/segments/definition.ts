import { managed } from '@switchyard/core/api/management';
import { Segment } from '@switchyard/core/api/targeting';
import { segmentsIn } from '@switchyard/core/evaluation/segments';
import type { CollectionDefinition } from '../../configuration/definitions/collection-definition.ts';
import { field } from '../../configuration/words/change-words.ts';
import { conditionWords, matchWords } from '../../configuration/words/condition-words.ts';
import { quoted } from '../../configuration/words/value-words.ts';
import { segmentRows } from './segment-store.ts';

export const segmentDefinition: CollectionDefinition<'segment'> = {
  type: 'segment',
  field: 'segments',
  keyField: 'id',
  tables: { segments: ['property_id', 'id'] },
  rows: segmentRows,
  references: ({ conditions }) => segmentsIn(conditions).map((key) => ({ type: 'segment', key })),
  /** The rules of flags check them together with the flags that use them. */
  resolve: (entries, stored, { mode }) =>
    entries.map((entry) => {
      const known = stored.find(({ id }) => id === entry.id);
      return { ...(mode === 'merge' ? known : {}), ...entry, version: known?.version ?? 0 };
    }),
  words: {
    fields: {
      name: field('Name', quoted),
      match: matchWords(''),
      conditions: conditionWords(''),
    },
  },
  file: {},
  managed: {
    path: 'segments',
    body: Segment,
    response: managed('ManagedSegment', Segment.properties),
    access: 'editor',
  },
};
