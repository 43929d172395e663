import type { ProvisionedProperty } from '@switchyard/core/api/provisioning';
import type { Changed } from '../../storage/changes/configuration-writer.ts';
import {
  type Document,
  type EntityType,
  findItem,
  type ItemType,
  itemsOf,
  propertyDocument,
} from '../../storage/changes/entities.ts';
import { type FieldChange, fieldChanges } from '../../storage/changes/field-changes.ts';
import { describePhase, openedPhases } from '../../storage/changes/opened-phases.ts';
import { documentWords } from '../../storage/changes/words/document-words.ts';
import type { ApiKey, KeyKind, PropertyConfiguration } from '../../storage/property-configuration.ts';
import { fileEntry } from './file-entry.ts';

export type ProvisionAction = 'create' | 'update' | 'unchanged';

type ProvisionedEntity =
  | 'property'
  | 'environment'
  | 'goal'
  | 'feedbackType'
  | 'segment'
  | 'splitTest'
  | 'flag'
  | 'apiKey'
  | 'webhook';

/** The effect of the file on one entity. */
export interface ProvisionChange {
  action: ProvisionAction;
  entity: ProvisionedEntity;
  propertyId: string;
  /** Id, key or, for an API key, kind and name. */
  id: string;
  fields: FieldChange[];
  /** The changed fields in words. */
  summary: string[];
  /** Side effects, as sentences. */
  notes?: string[];
}

/** A key created by applying the file; the only time its text is known. */
export interface GeneratedKey {
  propertyId: string;
  kind: KeyKind;
  name: string;
  text: string;
}

/** A plan and its execution generate different values, so they are not shown. */
const GENERATED = '(generated)';

/** The effect of one property of the file, in the order of its lists. */
export function describeProperty(
  entry: ProvisionedProperty,
  { previous, current }: Pick<Changed, 'previous' | 'current'>,
  generated: readonly ApiKey[],
): ProvisionChange[] {
  if (current === undefined) return [];
  const states = { previous, current };
  const ids = (list: readonly { id: string }[] = []) => list.map(({ id }) => id);
  const keys = (list: readonly { key: string }[] = []) => list.map(({ key }) => key);
  const changes = [
    describeSettings(entry, states),
    ...describeItems('environment', 'environment', ids(entry.environments), states),
    ...describeItems('goal', 'goal', ids(entry.goals), states),
    ...describeItems('feedbackType', 'feedback-type', ids(entry.feedbackTypes), states),
    ...describeItems('segment', 'segment', ids(entry.segments), states),
    ...describeItems('splitTest', 'split-test', keys(entry.splitTests), states, (test) =>
      hasSeed(entry, test.key) ? test : { ...test, hashSeed: GENERATED },
    ),
    ...describeItems('flag', 'flag', keys(entry.flags), states),
    ...describeKeys(entry, states, generated),
    ...describeItems('webhook', 'webhook', ids(entry.webhooks), states),
  ];
  return withNotes(changes, states);
}

interface States {
  previous: PropertyConfiguration | undefined;
  current: PropertyConfiguration;
}

function describeSettings(entry: ProvisionedProperty, { previous, current }: States): ProvisionChange {
  const settings = (property: PropertyConfiguration) => {
    const { createdAt: _createdAt, ...document } = propertyDocument(property);
    return document;
  };
  const isSeedGenerated = previous === undefined && entry.hashSeed === undefined;
  return compare(
    { entity: 'property', propertyId: current.id, id: current.id },
    'property',
    previous && settings(previous),
    { ...settings(current), ...(isSeedGenerated && { hashSeed: GENERATED }) },
    current,
  );
}

function describeItems(
  entity: ProvisionedEntity,
  type: ItemType,
  names: readonly string[],
  { previous, current }: States,
  hideGenerated = (entry: Record<string, unknown>) => entry,
): ProvisionChange[] {
  return names.map((id) => {
    const before = previous && findItem(previous, type, id);
    const item = findItem(current, type, id);
    const after = item === undefined ? {} : fileEntry(type, item);
    return compare(
      { entity, propertyId: current.id, id },
      type,
      before && fileEntry(type, before),
      before === undefined ? hideGenerated(after) : after,
      current,
    );
  });
}

/** A file refers to keys by their text or name, so the changes are found by comparing all keys. */
function describeKeys(
  entry: ProvisionedProperty,
  { previous, current }: States,
  generated: readonly ApiKey[],
): ProvisionChange[] {
  const entries = entry.apiKeys ?? [];
  const mentioned = itemsOf(current, 'key').filter((key) =>
    entries.some(
      ({ kind, name, key: text }) =>
        kind === key.kind && (key.name === (name ?? kind) || text?.endsWith(key.lastFour)),
    ),
  );
  return mentioned.map((key) => {
    const before = previous && findItem(previous, 'key', key.id);
    const isGenerated = generated.some(({ id }) => id === key.id);
    return compare(
      { entity: 'apiKey', propertyId: current.id, id: `${key.kind} ${key.name}` },
      'key',
      before && fileEntry('key', before),
      { ...fileEntry('key', key), ...(isGenerated && { key: GENERATED }) },
      current,
    );
  });
}

function compare(
  subject: Pick<ProvisionChange, 'entity' | 'propertyId' | 'id'>,
  type: EntityType,
  before: Document | undefined,
  after: Document,
  names: PropertyConfiguration,
): ProvisionChange {
  const fields = fieldChanges(before, after);
  const action = before === undefined ? 'create' : fields.length === 0 ? 'unchanged' : 'update';
  return { action, ...subject, fields, summary: documentWords(type, before, after, names) };
}

const hasSeed = (entry: ProvisionedProperty, key: unknown) =>
  entry.splitTests?.some((test) => test.key === key && test.hashSeed !== undefined) === true;

/** A test that only changes because of its property's settings is noted on the property. */
function withNotes(changes: ProvisionChange[], { previous, current }: States): ProvisionChange[] {
  const phases = openedPhases(previous, current);
  const propertyNotes = new Map(phases.map((phase) => [phase.splitTest, describePhase(phase)]));
  const annotated = changes.map((change) => {
    const isTest = change.entity === 'splitTest' && change.action === 'update';
    const note = isTest ? propertyNotes.get(change.id) : undefined;
    if (note === undefined) return change;
    propertyNotes.delete(change.id);
    return { ...change, notes: [note] };
  });
  if (propertyNotes.size === 0) return annotated;
  const sentences = [...propertyNotes].map(([key, note]) => `split test ${key} ${note}`);
  return annotated.map((change) => (change.entity === 'property' ? { ...change, notes: sentences } : change));
}
