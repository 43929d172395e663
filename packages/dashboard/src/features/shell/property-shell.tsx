import { Drawer } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { Outlet, useLocation, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Icon } from '../../ui/page/icon.tsx';
import { IconButton } from '../../ui/page/icon-button.tsx';
import { ReviewProvider } from '../changes/review-context.tsx';
import { PropertyProvider, useProperty } from '../configuration/property-context.tsx';
import { AccountMenu } from './account-menu.tsx';
import { CommandPalette } from './command-palette.tsx';
import { LateFiguresProvider } from './late-figures-provider.tsx';
import { NavigationLinks } from './navigation-links.tsx';
import classes from './property-shell.module.css';
import { PropertySwitcher } from './property-switcher.tsx';
import { useShortcuts } from './use-shortcuts.ts';

/** Everything around the pages of a property: navigation, search, account. */
export function PropertyShell() {
  const { propertyId } = useParams({ strict: false }) as { propertyId: string };
  return (
    // A new property starts with fresh state.
    <PropertyProvider key={propertyId} propertyId={propertyId}>
      <ReviewProvider>
        <ShellLayout />
      </ReviewProvider>
    </PropertyProvider>
  );
}

function ShellLayout() {
  const isNarrow = useMediaQuery('(max-width: 860px)', false, { getInitialValueInEffect: false });
  const [isMenuOpen, menu] = useDisclosure();
  const [isPaletteOpen, palette] = useDisclosure();
  const { pathname } = useLocation();
  useShortcuts(palette.open);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the menu
  useEffect(() => menu.close(), [pathname]);
  const sidebar = (
    <>
      <PropertySwitcher />
      <button type="button" className={classes.search} onClick={palette.open}>
        <Icon name="search" /> Search <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <NavigationLinks />
      <AccountMenu />
    </>
  );
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content">
        Skip to content
      </a>
      {isNarrow ? (
        <div className={classes.topbar}>
          <IconButton icon="menu" iconSize={20} size="lg" aria-label="Open navigation" onClick={menu.open} />
          <PropertyName />
          <IconButton icon="search" iconSize={20} size="lg" aria-label="Search" onClick={palette.open} />
          <Drawer opened={isMenuOpen} onClose={menu.close} size={260} title="Navigation">
            <div className={classes.drawer}>{sidebar}</div>
          </Drawer>
        </div>
      ) : (
        <div className={classes.sidebar}>{sidebar}</div>
      )}
      <main id="content" className={classes.content} tabIndex={-1}>
        <ConnectionNotice />
        <LateFiguresProvider>
          <Outlet />
        </LateFiguresProvider>
      </main>
      {isPaletteOpen && <CommandPalette onClose={palette.close} />}
    </div>
  );
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

const PropertyName = () => (
  <strong className={classes.name}>{useProperty().configuration.property.name}</strong>
);

/** Says so while changes of others do not arrive. */
function ConnectionNotice() {
  const { isLive } = useProperty();
  return (
    <div role="status" className={isLive ? undefined : classes.notice}>
      {isLive ? '' : 'The connection is lost: what you see may be out of date. Reconnecting …'}
    </div>
  );
}
