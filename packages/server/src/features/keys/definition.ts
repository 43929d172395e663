import {
  type CollectionDefinition,
  GENERATED,
} from '../../configuration/definitions/collection-definition.ts';
import { quoted } from '../../configuration/words/value-words.ts';
import { resolveKeys } from './key-rules.ts';
import { keyRows } from './key-store.ts';

export const keyDefinition: CollectionDefinition<'key'> = {
  type: 'key',
  field: 'apiKeys',
  keyField: 'id',
  tables: { api_keys: ['id'] },
  rows: keyRows,
  secret: 'hash',
  resolve: resolveKeys,
  words: {
    fields: {},
    /** Its id means nothing to people. */
    subject: (id, { kind, name }) =>
      kind === undefined
        ? `API key ${name === undefined ? id : quoted(name)}`
        : `${kind} key ${quoted(name)}`,
  },
  file: {
    /** Only a preview of the key, so that a plan can be shown to anybody. */
    entryOf: (_document, { kind, name, prefix, lastFour }) => ({ kind, name, key: `${prefix}…${lastFour}` }),
    exported: ({ kind, name }, { publicKey }) =>
      publicKey === null ? undefined : { kind, name, key: publicKey },
    mentioned: (entries, keys) =>
      keys.filter(({ kind, name, lastFour }) =>
        entries.some(
          (entry) =>
            entry.kind === kind && (name === (entry.name ?? entry.kind) || entry.key?.endsWith(lastFour)),
        ),
      ),
    nameOf: ({ kind, name }) => `${kind} ${name}`,
    withoutGenerated: (entry, _given, isGenerated) => (isGenerated ? { ...entry, key: GENERATED } : entry),
  },
};
