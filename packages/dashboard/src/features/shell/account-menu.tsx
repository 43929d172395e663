import { Menu, UnstyledButton, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { request } from '../../api.ts';
import { Icon } from '../../ui/icon.tsx';
import { forgetAccount, useMe } from '../accounts/use-me.ts';
import classes from './property-switcher.module.css';

export function AccountMenu() {
  const { account } = useMe();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const signOut = async () => {
    await request('/v1/manage/sign-out', { method: 'POST' });
    await navigate({ to: '/sign-in' });
    forgetAccount(client);
  };
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
          API reference
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
