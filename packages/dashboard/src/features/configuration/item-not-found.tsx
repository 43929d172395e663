import { EmptyState } from '../../ui/page/empty-state.tsx';
import { Page } from '../../ui/page/page.tsx';
import { PropertyLink } from './property-link.tsx';

interface ItemNotFoundProps {
  /** Such as "segment". */
  noun: string;
  id: string;
  /** Path of the page with all items, and its name. */
  list: string;
  listName: string;
}

/** The page of an item that does not exist. */
export function ItemNotFound({ noun, id, list, listName }: ItemNotFoundProps) {
  return (
    <Page title={`${noun.charAt(0).toUpperCase()}${noun.slice(1)} not found`}>
      <EmptyState
        title={`There is no ${noun} “${id}”`}
        action={<PropertyLink to={list}>{listName}</PropertyLink>}
      >
        It may have been deleted, or the link is wrong.
      </EmptyState>
    </Page>
  );
}
