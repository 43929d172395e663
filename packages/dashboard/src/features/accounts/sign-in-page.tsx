import { Alert, Button } from '@mantine/core';
import type { SetupState } from '@switchyard/core/api/accounts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Navigate, useNavigate, useSearch } from '@tanstack/react-router';
import { queryText, request } from '../../api.ts';
import { CenteredPage } from '../../ui/page/centered-page.tsx';
import { SignInForm } from './sign-in-form.tsx';
import classes from './sign-in-page.module.css';
import { changeAccount } from './use-me.ts';

const OIDC_ERRORS: Record<string, string> = {
  oidc_failed: 'Signing in with your identity provider failed. Try again, or ask your administrator.',
  oidc_not_allowed:
    'Your identity provider knows you, but there is no account here for you. Ask for an invitation.',
};

export function SignInPage() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { returnTo = '/', error } = useSearch({ strict: false }) as { returnTo?: string; error?: string };
  const { data: setup } = useQuery({
    queryKey: ['setup'],
    queryFn: ({ signal }) => request<SetupState>('/v1/manage/setup', { signal }),
  });
  if (setup?.needsOwner) return <Navigate to="/setup" />;
  const finish = () => {
    changeAccount(client, true);
    // Only paths of our own: `//host` would be another site.
    void navigate({ to: /^\/(?!\/)/.test(returnTo) ? returnTo : '/' });
  };
  return (
    <CenteredPage title="Sign in">
      {error && (
        <Alert color="red" role="alert" mb="md">
          {OIDC_ERRORS[error] ?? 'Signing in failed.'}
        </Alert>
      )}
      <SignInForm onSignedIn={finish} />
      {setup?.oidc && (
        <>
          <p className={`dimmed ${classes.or}`}>or</p>
          <Button
            component="a"
            fullWidth
            variant="default"
            href={`/v1/manage/oidc/start${queryText({ returnTo })}`}
          >
            Sign in with your identity provider
          </Button>
        </>
      )}
    </CenteredPage>
  );
}
