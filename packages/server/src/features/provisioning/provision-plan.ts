import type { ProvisionedProperty } from '@switchyard/core/api/provisioning';
import { documentWords } from '../../configuration/changes/document-words.ts';
import {
  type CollectionDefinition,
  type EntryOf,
  GENERATED,
} from '../../configuration/definitions/collection-definition.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import { describePhase, openedPhases } from '../../configuration/phases/opened-phases.ts';
import type { Document, EntityType } from '../../configuration/property/entities.ts';
import type {
  ApiKey,
  ItemType,
  KeyKind,
  PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import { type FieldChange, fieldChanges } from '../../configuration/words/field-changes.ts';
import type { Changed } from '../../configuration/writer/configuration-writer.ts';
import { fileEntry } from './file-entry.ts';

export type ProvisionAction = 'create' | 'update' | 'unchanged';

/** The effect of the file on one entity. */
export interface ProvisionChange {
  action: ProvisionAction;
  /** `property`, or the name of its list in the singular. */
  entity: string;
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

/** The effect of one property of the file, in the order of its lists. */
export function describeProperty(
  model: ConfigurationModel,
  entry: ProvisionedProperty,
  { previous, current }: Pick<Changed, 'previous' | 'current'>,
  generated: readonly ApiKey[],
): ProvisionChange[] {
  if (current === undefined) return [];
  const states = { model, previous, current, generated };
  const changes = [
    describeSettings(entry, states),
    ...model.saved.flatMap((definition) => describeItems(definition, entry, states)),
  ];
  return withNotes(changes, states);
}

interface States {
  model: ConfigurationModel;
  previous: PropertyConfiguration | undefined;
  current: PropertyConfiguration;
  /** Keys whose text was generated. */
  generated: readonly ApiKey[];
}

function describeSettings(entry: ProvisionedProperty, states: States): ProvisionChange {
  const { model, previous, current } = states;
  const settings = (property: PropertyConfiguration) => {
    const { createdAt: _createdAt, ...document } = model.propertyDocument(property);
    return document;
  };
  const isSeedGenerated = previous === undefined && entry.hashSeed === undefined;
  return compare(
    { entity: 'property', propertyId: current.id, id: current.id },
    'property',
    previous && settings(previous),
    { ...settings(current), ...(isSeedGenerated && { hashSeed: GENERATED }) },
    states,
  );
}

function describeItems(
  { type, field, keyField, file }: CollectionDefinition,
  property: ProvisionedProperty,
  states: States,
): ProvisionChange[] {
  if (file === undefined) return [];
  const { model, previous, current, generated } = states;
  const entries = ((property as Readonly<Record<string, unknown>>)[field] ?? []) as EntryOf<ItemType>[];
  const byKey = new Map(
    entries.map((entry) => [(entry as Readonly<Record<string, unknown>>)[keyField], entry]),
  );
  const items = model.itemsOf(current, type);
  const mentioned =
    file.mentioned?.(entries, items) ??
    [...byKey.keys()].flatMap((key) => model.findItem(current, type, String(key)) ?? []);
  return mentioned.map((item) => {
    const key = model.keyOf(type, item);
    const before = previous && model.findItem(previous, type, key);
    const after = fileEntry(model, type, item);
    const isKeyGenerated = generated.some(({ id }) => id === key);
    const shown =
      before === undefined ? file.withoutGenerated?.(after, byKey.get(key), isKeyGenerated) : undefined;
    return compare(
      { entity: field.slice(0, -1), propertyId: current.id, id: file.nameOf?.(item) ?? key },
      type,
      before && fileEntry(model, type, before),
      shown ?? after,
      states,
    );
  });
}

function compare(
  subject: Pick<ProvisionChange, 'entity' | 'propertyId' | 'id'>,
  type: EntityType,
  before: Document | undefined,
  after: Document,
  { model, current }: States,
): ProvisionChange {
  const fields = fieldChanges(before, after);
  const action = before === undefined ? 'create' : fields.length === 0 ? 'unchanged' : 'update';
  return { action, ...subject, fields, summary: documentWords(model, type, before, after, current) };
}

/** A test or flag that only changes because of its property's settings or segments is noted on the property. */
function withNotes(changes: ProvisionChange[], { previous, current }: States): ProvisionChange[] {
  const phases = openedPhases(previous, current);
  const propertyNotes = new Map(
    phases.map((phase) => {
      const { splitTest, measuredRule } = phase;
      const name = splitTest === undefined ? `flag ${measuredRule?.flagKey}` : `split test ${splitTest}`;
      return [phase, `${name} ${describePhase(phase)}`];
    }),
  );
  const annotated = changes.map((change) => {
    if (change.action !== 'update') return change;
    const own = phases.filter(({ splitTest, measuredRule }) =>
      change.entity === 'splitTest'
        ? splitTest === change.id
        : change.entity === 'flag' && measuredRule?.flagKey === change.id,
    );
    if (own.length === 0) return change;
    for (const phase of own) propertyNotes.delete(phase);
    return { ...change, notes: own.map(describePhase) };
  });
  if (propertyNotes.size === 0) return annotated;
  const sentences = [...propertyNotes.values()];
  return annotated.map((change) => (change.entity === 'property' ? { ...change, notes: sentences } : change));
}
