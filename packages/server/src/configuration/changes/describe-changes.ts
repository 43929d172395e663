import { applyDifferences, type Difference } from '@switchyard/core/merge/differences';
import type { ConfigurationModel } from '../definitions/configuration-model.ts';
import type { Document, EntityType } from '../property/entities.ts';
import type { Names } from '../words/change-words.ts';
import { partialDocuments } from '../words/partial-documents.ts';
import { capital } from '../words/value-words.ts';
import { documentWords } from './document-words.ts';
import type { ItemChange } from './item-changes.ts';

/** More lines of one item are only counted: nobody reads them. */
const MAX_LINES = 100;

/** The changes of items in words, like `Flag new-checkout – Production: switched on`. */
export function describeItemChanges(
  model: ConfigurationModel,
  changes: readonly ItemChange[],
  before: StateBefore,
  names: Names,
): string[] {
  return changes.flatMap(({ type, key, action, differences }) =>
    describeDifferences(model, { type, key }, action, differences, names, before(type, key)),
  );
}

export type StateBefore = (type: EntityType, key: string) => Document | undefined;

/** Without the state before, items of lists that changed have no names, only positions. */
export function describeDifferences(
  model: ConfigurationModel,
  { type, key }: { type: EntityType; key: string },
  action: 'create' | 'update' | 'delete',
  differences: readonly Difference[],
  names: Names,
  state?: Document,
): string[] {
  const { before, after } = state
    ? { before: state, after: applied(state, differences) }
    : partialDocuments(differences);
  const subject = subjectOf(model, type, key, action === 'create' ? after : before);
  return linesOf(model, type, action, differences, () =>
    documentWords(model, type, before, after, names),
  ).map((line) => `${subject} – ${line}`);
}

const applied = (state: Document, differences: readonly Difference[]) =>
  applyDifferences(state, differences) as Document;

function linesOf(
  model: ConfigurationModel,
  type: EntityType,
  action: 'create' | 'update' | 'delete',
  differences: readonly Difference[],
  describe: () => string[],
): string[] {
  const words = wordsOf(model, type);
  if (action === 'create') return [words?.created ?? 'created'];
  if (action === 'delete') return [words?.deleted ?? 'deleted'];
  // Secrets are not part of the history, so nothing else can have changed.
  if (differences.length === 0) return ['secret replaced'];
  const lines = describe();
  if (lines.length === 0) return differences.some(isPhase) ? ['new phase'] : [];
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `and ${more} more changes`] : lines;
}

const wordsOf = (model: ConfigurationModel, type: EntityType) =>
  type === 'property' ? undefined : model.collection(type).words;

/** `Flag new-checkout` */
function subjectOf(model: ConfigurationModel, type: EntityType, key: string, document: Document): string {
  const subject = wordsOf(model, type)?.subject?.(key, document);
  return capital(subject ?? `${type.replace('-', ' ')} ${key}`);
}

const isPhase = ({ pointer }: Difference) => pointer.startsWith('/phases');
