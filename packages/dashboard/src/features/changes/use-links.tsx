import { PropertyLink } from '../configuration/property-link.tsx';

export interface ItemUse {
  /** Path of the page that uses the item. */
  to: string;
  search?: Record<string, string>;
  label: string;
  /** Where exactly. */
  detail?: string;
}

/** The entries of a list of what uses an item. */
export const UseLinks = ({ uses }: { uses: readonly ItemUse[] }) =>
  uses.map(({ to, search, label, detail }) => (
    <li key={[to, ...Object.values(search ?? {})].join(' ')}>
      <PropertyLink to={to} {...(search && { search })}>
        {label}
      </PropertyLink>
      {detail && <span className="dimmed"> {detail}</span>}
    </li>
  ));
