import { propertyPath } from '../../api.ts';
import { COLLECTIONS } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { usePropertyNavigate } from '../configuration/use-property-navigate.ts';
import { type Draft, useDraft } from './use-draft.ts';
import { useSaveDraft } from './use-save-draft.ts';

interface Item {
  id: string;
  name?: string;
  version?: number;
}

interface ItemFormOptions<T extends Item> {
  type: 'segment' | 'goal' | 'metric' | 'feedback-type';
  /** The saved item, or what a new one starts with: it has no id yet. */
  item: T;
  /** Path of the page of an item, without its id. */
  page: string;
}

export interface ItemForm<T extends Item> {
  draft: Draft<T>;
  /** Reviews and saves the draft; a new item opens its page. */
  save: () => Promise<void>;
  /** What is wrong with the field at a JSON pointer. */
  errors: (pointer: string) => string | undefined;
  /** What happened to the change, if it is neither saved nor cancelled. */
  message: string;
  /** Why nothing can be saved now. */
  blocked: string | undefined;
  /** Why nothing can be changed at all. */
  readOnly: string | undefined;
}

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The form of a segment, goal, metric or feedback type, with its draft. */
export function useItemForm<T extends Item>({ type, item, page }: ItemFormOptions<T>): ItemForm<T> {
  const { propertyId, configuration, missingRole } = useProperty();
  const navigate = usePropertyNavigate();
  const isNew = item.id === '';
  const { path, field } = COLLECTIONS[type];
  const noun = type.replace('-', ' ');
  // `+` is not allowed in ids.
  const draft = useDraft<T>(`${propertyId}/${path}/${isNew ? '+new' : item.id}`, item, item.version);
  const { id, ...body } = draft.value;
  const { save, errors, isChecking, message } = useSaveDraft(
    draft,
    {
      title: `${isNew ? 'Create' : 'Save'} ${noun} ${draft.value.name || id}`,
      ...(isNew && { confirmLabel: 'Create' }),
      method: 'PUT',
      path: propertyPath(propertyId, path, id),
      body,
      item: { type, key: id },
      ...(type === 'segment' && { impact: { type, key: id, definition: body } }),
    },
    isNew ? () => navigate(`${page}/${encodeURIComponent(id)}`) : undefined,
    (merged) => ({ ...(merged as T), id }),
  );
  const isTaken = isNew && configuration[field].some((each) => each.id === id);
  const readOnly = missingRole('editor');
  const problem = isNew ? newItemProblem(draft.value, noun, isTaken) : undefined;
  return {
    draft,
    message,
    readOnly,
    save,
    errors: (pointer) => (pointer === '/id' && isTaken ? `Another ${noun} has this id` : errors(pointer)),
    blocked: readOnly ?? problem ?? (isChecking ? 'Checking …' : undefined),
  };
}

function newItemProblem({ id, name = '' }: Item, noun: string, isTaken: boolean): string | undefined {
  if (name.trim() === '') return `Give the ${noun} a name`;
  if (!ID.test(id)) return 'The id needs letters, digits, “.”, “_” or “-”';
  return isTaken ? 'Choose another id' : undefined;
}
