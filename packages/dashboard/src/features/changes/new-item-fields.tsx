import { TextInput } from '@mantine/core';
import { keyFromName } from '../../ui/fields/key-from-name.ts';
import type { ItemForm } from './use-item-form.ts';

interface Named {
  id: string;
  name: string;
}

interface NewItemFieldsProps<T extends Named> {
  form: ItemForm<T>;
  /** Such as “Returning customers”. */
  example: string;
}

/** Name and id of a new item. The id follows the name until it is edited. */
export function NewItemFields<T extends Named>({ form: { draft, errors }, example }: NewItemFieldsProps<T>) {
  const { id, name } = draft.value;
  const change = (changes: Partial<Named>) => draft.change(changes as Partial<T>);
  return (
    <>
      <TextInput
        label="Name"
        description={`For people, such as “${example}”`}
        maxLength={256}
        autoFocus
        value={name}
        error={errors('/name')}
        onChange={({ currentTarget: { value } }) =>
          change(id === keyFromName(name) ? { name: value, id: keyFromName(value) } : { name: value })
        }
      />
      <TextInput
        label="Id"
        description="For your code; it cannot be changed later"
        maxLength={128}
        value={id}
        error={errors('/id')}
        onChange={(event) => change({ id: event.currentTarget.value })}
      />
    </>
  );
}
