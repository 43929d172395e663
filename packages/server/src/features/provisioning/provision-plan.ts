import type { FlagSettings, SplitTestSettings } from '../../storage/configuration-settings.ts';
import type { Database } from '../../storage/database.ts';
import {
  type ApiKey,
  type Flag,
  type KeyKind,
  PRODUCTION,
  type SplitTest,
} from '../../storage/property-configuration.ts';
import { type FieldChange, fieldChanges } from './field-changes.ts';
import { isoSchedules, isoTimes } from './iso-time.ts';
import { phaseNotes } from './phase-notes.ts';
import type { ProvisionStores } from './provision-stores.ts';
import { configurationsOf } from './resolve-flags.ts';
import type { ResolvedKey } from './resolve-keys.ts';
import type { ResolvedProperty } from './resolve-property.ts';

export type ProvisionAction = 'create' | 'update' | 'unchanged';

type ProvisionedEntity =
  | 'property'
  | 'environment'
  | 'goal'
  | 'feedbackType'
  | 'segment'
  | 'splitTest'
  | 'flag'
  | 'apiKey';

/** The effect of the file on one entity. */
export interface ProvisionChange {
  action: ProvisionAction;
  entity: ProvisionedEntity;
  propertyId: string;
  /** Id, key or, for an API key, kind and name. */
  id: string;
  fields: FieldChange[];
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

/** A change that knows how to save itself, so that a plan cannot differ from its execution. */
export interface PlannedChange extends ProvisionChange {
  save(database: Database): Promise<GeneratedKey | undefined>;
}

type Save = (database: Database) => Promise<unknown>;

const GENERATED = '(generated)';

/** The changes, in the order in which they must be made. */
export function planChanges(
  properties: readonly ResolvedProperty[],
  stores: ProvisionStores,
  now: number,
): PlannedChange[] {
  return properties.flatMap((property) =>
    withNotes(planProperty(property, stores), phaseNotes(property, now)),
  );
}

/** A test that only changes because of its property's settings is noted on the property. */
function withNotes(changes: PlannedChange[], notes: ReadonlyMap<string, string>): PlannedChange[] {
  const propertyNotes = new Map(notes);
  const annotated = changes.map((change) => {
    const note =
      change.entity === 'splitTest' && change.action === 'update' ? notes.get(change.id) : undefined;
    if (note === undefined) return change;
    propertyNotes.delete(change.id);
    return { ...change, notes: [note] };
  });
  if (propertyNotes.size === 0) return annotated;
  const sentences = [...propertyNotes].map(([key, note]) => `split test ${key} ${note}`);
  return annotated.map((change) => (change.entity === 'property' ? { ...change, notes: sentences } : change));
}

function planProperty(property: ResolvedProperty, stores: ProvisionStores): PlannedChange[] {
  const { id: propertyId, stored } = property;
  // Created together with its property.
  const environments = stored?.environments ?? [PRODUCTION];

  const plan = <T extends object>(
    entity: ProvisionedEntity,
    entries: readonly T[],
    idOf: (entry: T) => string,
    storedEntries: readonly T[] | undefined,
    create: (database: Database, propertyId: string, entry: T) => Promise<void>,
    update: (database: Database, propertyId: string, entry: T) => Promise<void>,
  ) =>
    entries.map((entry) => {
      const before = storedEntries?.find((candidate) => idOf(candidate) === idOf(entry));
      const save: Save = (database) => (before === undefined ? create : update)(database, propertyId, entry);
      return planned({ entity, propertyId, id: idOf(entry), before, after: entry, save });
    });
  const byId = (entry: { id: string }) => entry.id;

  return [
    planSettings(property, stores),
    ...plan(
      'environment',
      property.environments,
      byId,
      environments,
      stores.createEnvironment,
      stores.updateEnvironment,
    ),
    ...plan('goal', property.goals, byId, stored?.goals, stores.createGoal, stores.updateGoal),
    ...plan(
      'feedbackType',
      property.feedbackTypes,
      byId,
      stored?.feedbackTypes,
      stores.createFeedbackType,
      stores.updateFeedbackType,
    ),
    ...plan('segment', property.segments, byId, stored?.segments, stores.createSegment, stores.updateSegment),
    ...property.splitTests.map((test) => planSplitTest(propertyId, test, stored?.splitTests ?? [], stores)),
    ...property.flags.map((flag) => planFlag(propertyId, flag, stored?.flags ?? [], stores)),
    ...property.keys.map((key) => planKey(propertyId, key, stores)),
  ];
}

function planSettings({ id, stored, settings }: ResolvedProperty, stores: ProvisionStores): PlannedChange {
  const save: Save = (database) =>
    (stored ? stores.updateProperty : stores.createProperty)(database, id, settings);
  const after = { ...settings, hashSeed: settings.hashSeed ?? GENERATED };
  return planned({ entity: 'property', propertyId: id, id, before: stored, after, save });
}

function planSplitTest(
  propertyId: string,
  test: SplitTestSettings,
  stored: readonly SplitTest[],
  stores: ProvisionStores,
): PlannedChange {
  const before = stored.find((candidate) => candidate.key === test.key);
  const after = { ...test, ...isoTimes(test), hashSeed: test.hashSeed ?? GENERATED };
  const save: Save = (database) =>
    before === undefined
      ? stores.createSplitTest(database, propertyId, test)
      : stores.updateSplitTest(database, propertyId, before.id, test);
  return planned({
    entity: 'splitTest',
    propertyId,
    id: test.key,
    before: before && { ...before, ...isoTimes(before) },
    after,
    save,
  });
}

function planFlag(
  propertyId: string,
  flag: FlagSettings,
  stored: readonly Flag[],
  stores: ProvisionStores,
): PlannedChange {
  const before = stored.find((candidate) => candidate.key === flag.key);
  const known = before === undefined ? {} : configurationsOf(before);
  const { configurations, ...definition } = flag;
  const save: Save = (database) =>
    before === undefined
      ? stores.createFlag(database, propertyId, flag)
      : stores.updateFlag(database, propertyId, before.id, flag);
  return planned({
    entity: 'flag',
    propertyId,
    id: flag.key,
    before: before && { ...before, environments: isoSchedules(known) },
    after: { ...definition, environments: isoSchedules({ ...known, ...configurations }) },
    save,
  });
}

function planKey(propertyId: string, key: ResolvedKey, stores: ProvisionStores): PlannedChange {
  const { kind, name, text, stored } = key;
  const mask = (parts: { prefix: string; lastFour: string }) => `${parts.prefix}…${parts.lastFour}`;
  const before = stored && { kind, name: stored.name, key: mask(stored) };
  const shown = text === undefined ? (before?.key ?? GENERATED) : mask(stores.keyPreview(text));
  const change = planned({
    entity: 'apiKey',
    propertyId,
    id: `${kind} ${name}`,
    before,
    after: { kind, name, key: shown },
    save: async () => {},
  });
  return {
    ...change,
    save: async (database) => {
      if (stored !== undefined) return saveStoredKey(database, key, stored, stores);
      const created = await stores.createKey(database, propertyId, { kind, name, text });
      return text === undefined ? { propertyId, kind, name, text: created } : undefined;
    },
  };
}

async function saveStoredKey(
  database: Database,
  { kind, name, text }: ResolvedKey,
  stored: ApiKey,
  stores: ProvisionStores,
): Promise<undefined> {
  if (name !== stored.name) await stores.renameKey(database, stored.id, name);
  if (text !== undefined) await stores.replaceKeyText(database, stored.id, kind, text);
}

interface Comparison extends Pick<ProvisionChange, 'entity' | 'propertyId' | 'id'> {
  before: object | undefined;
  after: object;
  save: Save;
}

function planned({ entity, propertyId, id, before, after, save }: Comparison): PlannedChange {
  const fields = fieldChanges(before, after);
  const action = before === undefined ? 'create' : fields.length === 0 ? 'unchanged' : 'update';
  return {
    action,
    entity,
    propertyId,
    id,
    fields,
    save: async (database) => {
      await save(database);
      return undefined;
    },
  };
}
