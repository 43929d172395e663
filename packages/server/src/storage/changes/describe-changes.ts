import { applyDifferences, type Difference } from './differences.ts';
import type { Document, EntityType } from './entities.ts';
import { type FieldChange, fieldChanges } from './field-changes.ts';
import type { ItemChange } from './item-changes.ts';

const MAX_VALUE_LENGTH = 100;

/** Maintained by the server, so not worth a line. */
const HIDDEN = ['id', 'createdAt', 'phases'];

/** The changes of items in words, like `flag new-checkout: environments.production.enabled: false → true`. */
export function describeItemChanges(changes: readonly ItemChange[], before: StateBefore): string[] {
  return changes.flatMap(({ type, key, action, differences }) =>
    describeDifferences({ type, key }, action, differences, before(type, key)),
  );
}

/** The state of an item before the change. */
export type StateBefore = (type: EntityType, key: string) => Document | undefined;

export function describeDifferences(
  { type, key }: { type: EntityType; key: string },
  action: 'create' | 'update' | 'delete' | 'import',
  differences: readonly Difference[],
  before: Document | undefined,
): string[] {
  const after = applyDifferences(before ?? {}, differences) as Document;
  const subject = type === 'key' ? keySubject(before ?? after) : `${type.replace('-', ' ')} ${key}`;
  if (action === 'create') return [`${subject}: created`];
  if (action === 'delete') return [`${subject}: deleted`];
  if (action === 'import') return [`${subject}: history begins`];
  // Secrets are not part of the history, so nothing else can have changed.
  if (differences.length === 0) return [`${subject}: secret replaced`];
  const fields = fieldChanges(before, { ...emptied(before, after), ...after });
  const shown = fields.filter(({ field }) => !HIDDEN.includes(field.split('.')[0] ?? ''));
  if (shown.length === 0) return differences.some(isPhase) ? [`${subject}: new phase`] : [];
  return shown.map((field) => `${subject}: ${describeField(field)}`);
}

/** The id of a key means nothing to people. */
const keySubject = ({ kind, name }: Document) => `${kind} key "${name}"`;

const isPhase = ({ pointer }: Difference) => pointer.startsWith('/phases');

/** Members that do not exist any more, as null. */
function emptied(before: Document | undefined, after: Document): Record<string, null> {
  const removed = Object.keys(before ?? {}).filter((name) => !Object.hasOwn(after, name));
  return Object.fromEntries(removed.map((name) => [name, null]));
}

export function describeField({ field, change, from, to }: FieldChange): string {
  const isTime = /(At|\.at)$/.test(field);
  const values = [from, to].filter((value) => value !== undefined).map((value) => shorten(value, isTime));
  return `${field}: ${change === undefined ? '' : `${change} `}${values.join(' → ')}`;
}

function shorten(value: unknown, isTime: boolean): string {
  if (isTime && typeof value === 'number') return new Date(value).toISOString();
  const text = JSON.stringify(value);
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH - 1)}…`;
}
