import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { messageOf } from '../../api.ts';
import { showTimesIn } from '../../ui/format/display-zone.ts';
import { Icon } from '../../ui/page/icon.tsx';
import { Page } from '../../ui/page/page.tsx';
import { LoadError } from '../../ui/page/page-states.tsx';
import { AccessTokenPanel } from './access-token-panel.tsx';
import { AccountList } from './account-list.tsx';
import { DeleteAccountPanel } from './delete-account-panel.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { ProfilePanel } from './profile-panel.tsx';
import { SignedInBrowsers } from './signed-in-browsers.tsx';
import { TwoFactorPanel } from './two-factor-panel.tsx';
import { useMe } from './use-me.ts';
import { useSignOut } from './use-sign-out.ts';

/** The own account; owners also see all others. */
export function AccountPage() {
  const { account } = useMe();
  const signOut = useSignOut();
  showTimesIn(undefined);
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
            <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
              Sign out
            </Button>
          </>
        }
      >
        {signOut.error && <LoadError title="Cannot sign out" message={messageOf(signOut.error)} />}
        <ProfilePanel />
        {account.hasPassword && <PasswordPanel />}
        <TwoFactorPanel />
        <SignedInBrowsers />
        <AccessTokenPanel />
        {account.isOwner && <AccountList />}
        <DeleteAccountPanel />
      </Page>
    </main>
  );
}
