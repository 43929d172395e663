import { PropertyLink } from '../configuration/property-link.tsx';
import { type ItemUse, UseLinks } from './use-links.tsx';

interface ItemNameCellProps {
  /** Path of the list that has the item. */
  list: string;
  id: string;
  name: string | undefined;
}

/** The name of an item, which opens its page, above its id. */
export const ItemNameCell = ({ list, id, name }: ItemNameCellProps) => (
  <td data-label="Name">
    <div>
      <PropertyLink to={`${list}/${encodeURIComponent(id)}`}>{name || id}</PropertyLink>
      <div className="dimmed">
        <code>{id}</code>
      </div>
    </div>
  </td>
);

const MAX_USES = 3;

/** The first things that use an item. */
export const ItemUsesCell = ({ uses }: { uses: readonly ItemUse[] }) => (
  <td data-label="Used by">
    {uses.length === 0 ? (
      <span className="dimmed">Nothing</span>
    ) : (
      <ul>
        <UseLinks uses={uses.slice(0, MAX_USES)} />
        {uses.length > MAX_USES && <li className="dimmed">{uses.length - MAX_USES} more</li>}
      </ul>
    )}
  </td>
);
