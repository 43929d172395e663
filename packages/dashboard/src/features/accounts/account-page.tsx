import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { request } from '../../api.ts';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { AccessTokenPanel } from './access-token-panel.tsx';
import { AccountList } from './account-list.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { ProfilePanel } from './profile-panel.tsx';
import { SignedInBrowsers } from './signed-in-browsers.tsx';
import { TwoFactorPanel } from './two-factor-panel.tsx';
import { forgetAccount, useMe } from './use-me.ts';

/** The own account; owners also see all others. */
export function AccountPage() {
  const { account } = useMe();
  const client = useQueryClient();
  const navigate = useNavigate();
  const signOut = async () => {
    await request('/v1/manage/sign-out', { method: 'POST' });
    await navigate({ to: '/sign-in' });
    forgetAccount(client);
  };
  return (
    <main id="content">
      <Page
        title="Account"
        description={account.email}
        actions={
          <>
            <Button
              variant="default"
              leftSection={<Icon name="left" />}
              renderRoot={(props) => <Link to="/" {...props} />}
            >
              Back to the dashboard
            </Button>
            <Button variant="default" onClick={() => void signOut()}>
              Sign out
            </Button>
          </>
        }
      >
        <ProfilePanel />
        {account.hasPassword && <PasswordPanel />}
        <TwoFactorPanel />
        <SignedInBrowsers />
        <AccessTokenPanel />
        {account.isOwner && <AccountList />}
      </Page>
    </main>
  );
}
