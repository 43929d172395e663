import type { ReactNode } from 'react';
import { CopyAction } from '../../ui/page/copy-action.tsx';
import { Page } from '../../ui/page/page.tsx';
import { DraftBar } from './draft-bar.tsx';
import type { ItemForm } from './use-item-form.ts';

interface ItemPageProps<T extends { id: string; name?: string }> {
  stored: T;
  form: ItemForm<T>;
  description?: ReactNode;
  actions: ReactNode;
  children: ReactNode;
}

/** The page of an item with its form. */
export function ItemPage<T extends { id: string; name?: string }>(props: ItemPageProps<T>) {
  const { stored, form, description, actions, children } = props;
  return (
    <Page
      title={stored.name || stored.id}
      badges={
        <span className="dimmed">
          <code>{stored.id}</code> <CopyAction text={stored.id} label="Copy id" />
        </span>
      }
      description={description}
      actions={actions}
    >
      {children}
      <DraftBar
        draft={form.draft}
        message={form.message}
        onSave={() => void form.save()}
        blocked={form.blocked}
      />
    </Page>
  );
}
