import { applyDifferences, type Difference } from '@switchyard/core/merge/differences';
import type { Document, EntityType } from './entities.ts';
import type { ItemChange } from './item-changes.ts';
import { partialDocuments } from './partial-documents.ts';
import type { Names } from './words/change-words.ts';
import { documentWords } from './words/document-words.ts';
import { capital, quoted } from './words/value-words.ts';

/** More lines of one item are only counted: nobody reads them. */
const MAX_LINES = 100;

/** The changes of items in words, like `Flag new-checkout – Production: switched on`. */
export function describeItemChanges(
  changes: readonly ItemChange[],
  before: StateBefore,
  names: Names,
): string[] {
  return changes.flatMap(({ type, key, action, differences }) =>
    describeDifferences({ type, key }, action, differences, names, before(type, key)),
  );
}

/** The state of an item before the change. */
export type StateBefore = (type: EntityType, key: string) => Document | undefined;

/** Without the state before, items of lists that changed have no names, only positions. */
export function describeDifferences(
  { type, key }: { type: EntityType; key: string },
  action: 'create' | 'update' | 'delete' | 'import',
  differences: readonly Difference[],
  names: Names,
  state?: Document,
): string[] {
  const { before, after } = state
    ? { before: state, after: applied(state, differences) }
    : partialDocuments(differences);
  const subject = subjectOf(type, key, action === 'create' ? after : before);
  return linesOf(type, action, differences, () => documentWords(type, before, after, names)).map(
    (line) => `${subject} – ${line}`,
  );
}

const applied = (state: Document, differences: readonly Difference[]) =>
  applyDifferences(state, differences) as Document;

function linesOf(
  type: EntityType,
  action: 'create' | 'update' | 'delete' | 'import',
  differences: readonly Difference[],
  describe: () => string[],
): string[] {
  if (action === 'create') return [type === 'member' ? 'added' : 'created'];
  if (action === 'delete') return [type === 'member' ? 'removed' : 'deleted'];
  if (action === 'import') return ['history begins'];
  // Secrets are not part of the history, so nothing else can have changed.
  if (differences.length === 0) return ['secret replaced'];
  const lines = describe();
  if (lines.length === 0) return differences.some(isPhase) ? ['new phase'] : [];
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `and ${more} more changes`] : lines;
}

/** `Flag new-checkout`; the id of a key means nothing to people. */
function subjectOf(type: EntityType, key: string, document: Document): string {
  return capital(type === 'key' ? keyName(document, key) : `${type.replace('-', ' ')} ${key}`);
}

const keyName = ({ kind, name }: Document, id: string) =>
  kind === undefined ? `API key ${name === undefined ? id : quoted(name)}` : `${kind} key ${quoted(name)}`;

const isPhase = ({ pointer }: Difference) => pointer.startsWith('/phases');
