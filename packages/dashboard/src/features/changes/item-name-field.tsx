import { TextInput } from '@mantine/core';
import type { ItemForm } from './use-item-form.ts';

interface Named {
  id: string;
  name?: string;
}

/** The name of a saved item. */
export function ItemNameField<T extends Named>({ form }: { form: ItemForm<T> }) {
  const { draft, errors, readOnly } = form;
  return (
    <TextInput
      label="Name"
      maxLength={256}
      value={draft.value.name ?? ''}
      error={errors('/name')}
      disabled={readOnly !== undefined}
      onChange={(event) => draft.change({ name: event.currentTarget.value } as Partial<T>)}
    />
  );
}
