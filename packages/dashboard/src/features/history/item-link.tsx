import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import classes from './change-list.module.css';
import { type HistoryEntry, pageOf } from './history-words.ts';

/** The name of an item, which is a link as long as the item exists. */
export function ItemLink({ entity, name }: { entity: HistoryEntry['entity']; name: string }) {
  const page = pageOf(useProperty().configuration, entity);
  if (page === undefined) return <span className={classes.name}>{name}</span>;
  const [to, search] = page;
  return (
    <PropertyLink to={to} {...(search && { search })} className={classes.name}>
      {name}
    </PropertyLink>
  );
}
