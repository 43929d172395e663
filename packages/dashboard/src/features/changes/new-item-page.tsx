import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Page } from '../../ui/page/page.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { usePropertyNavigate } from '../configuration/use-property-navigate.ts';
import { DraftBar } from './draft-bar.tsx';
import { NewItemFields } from './new-item-fields.tsx';
import type { ItemForm } from './use-item-form.ts';

interface NewItemPageProps<T extends { id: string; name: string }> {
  /** Such as "Feedback type". */
  noun: string;
  form: ItemForm<T>;
  /** An example of a name. */
  example: string;
  /** Path of the page with all items, which is also its name. */
  list: string;
  /** Fields below the name. */
  fields?: ReactNode;
  /** Further panels. */
  children?: ReactNode;
}

/** The form for a new item; saving opens its page. */
export function NewItemPage<T extends { id: string; name: string }>(props: NewItemPageProps<T>) {
  const { noun, form, example, list, fields, children } = props;
  const navigate = usePropertyNavigate();
  return (
    <Page
      title={`New ${noun.toLowerCase()}`}
      actions={
        <Button variant="default" onClick={() => navigate(list)}>
          Back to {list}
        </Button>
      }
    >
      <Panel title={noun}>
        <Stack gap="sm" maw={560}>
          <NewItemFields form={form} example={example} />
          {fields}
        </Stack>
      </Panel>
      {children}
      <DraftBar draft={form.draft} onSave={() => void form.save()} blocked={form.blocked} />
    </Page>
  );
}
