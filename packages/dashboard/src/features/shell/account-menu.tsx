import { Menu, UnstyledButton, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { messageOf } from '../../api.ts';
import { Icon } from '../../ui/page/icon.tsx';
import { useMe } from '../accounts/use-me.ts';
import { useSignOut } from '../accounts/use-sign-out.ts';
import classes from './property-switcher.module.css';

export function AccountMenu() {
  const { account } = useMe();
  const signOut = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  return (
    <Menu position="top-start" width={200}>
      <Menu.Target>
        <UnstyledButton className={classes.target} aria-label={`Account: ${account.name}`}>
          <Icon name="account" />
          <span className={classes.name}>{account.name}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<Icon name="account" />}
          renderRoot={(props) => <Link to="/account" {...props} />}
        >
          Account
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name={scheme === 'dark' ? 'sun' : 'moon'} />}
          onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
        >
          {scheme === 'dark' ? 'Light theme' : 'Dark theme'}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="external" />} component="a" href="/docs" target="_blank">
          Documentation
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item closeMenuOnClick={false} onClick={() => signOut.mutate()}>
          {signOut.isPending ? 'Signing out …' : 'Sign out'}
        </Menu.Item>
        {signOut.error && (
          <Menu.Label role="alert" className="bad">
            {messageOf(signOut.error)}
          </Menu.Label>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
