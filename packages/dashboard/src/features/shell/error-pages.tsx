import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { messageOf } from '../../api.ts';
import { CenteredPage } from '../../ui/page/centered-page.tsx';
import { LoadError } from '../../ui/page/page-states.tsx';

export function NotFoundPage() {
  return (
    <CenteredPage title="Page not found">
      <p>There is no page at this address.</p>
      <Link to="/">Go to the dashboard</Link>
    </CenteredPage>
  );
}

/** An error that no page handled. */
export function UnexpectedError({ error }: { error: unknown }) {
  return (
    <CenteredPage title="Something went wrong">
      <LoadError title="The page cannot be shown" message={messageOf(error)} />
      <Button mt="md" onClick={() => location.reload()}>
        Reload
      </Button>
    </CenteredPage>
  );
}
