import { Link } from '@tanstack/react-router';
import { Icon } from '../../ui/page/icon.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { NAVIGATION } from './navigation.ts';
import classes from './navigation-links.module.css';

export function NavigationLinks() {
  const { propertyId } = useProperty();
  return (
    <nav aria-label="Property" className={classes.nav}>
      {NAVIGATION.map(({ path, label, icon }) => (
        <Link key={path} to={`/p/${propertyId}/${path}`} className={classes.link}>
          <Icon name={icon} /> {label}
        </Link>
      ))}
    </nav>
  );
}
