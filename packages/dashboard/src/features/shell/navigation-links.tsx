import { Icon } from '../../ui/icon.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { NAVIGATION } from './navigation.ts';
import classes from './navigation-links.module.css';

export function NavigationLinks() {
  return (
    <nav aria-label="Property" className={classes.nav}>
      {NAVIGATION.map(({ path, label, icon }) => (
        <PropertyLink key={path} to={path} className={classes.link}>
          <Icon name={icon} /> {label}
        </PropertyLink>
      ))}
    </nav>
  );
}
