import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { handleSessionExpired, SIGNED_IN_AGAIN } from '../../api.ts';
import { useInertBackground } from '../../ui/hooks/use-inert-background.ts';
import { meQuery } from './use-me.ts';

/**
 * Asks for the password again when the session has expired, on top of the page, so that unsaved work stays. All
 * requests that were refused wait for it and are repeated, unless another account has signed in.
 */
export function SessionExpired() {
  const client = useQueryClient();
  const [waiting, setWaiting] = useState<((signedIn: boolean) => void)[]>([]);
  useEffect(() => {
    handleSessionExpired(
      () => new Promise<boolean>((resolve) => setWaiting((previous) => [...previous, resolve])),
    );
    return () => handleSessionExpired(async () => false);
  }, []);
  /** @param accountId the account that has signed in; undefined: none */
  const finish = (accountId?: string) => {
    const isSame = accountId !== undefined && accountId === client.getQueryData(meQuery.queryKey)?.account.id;
    // What is in memory and on the page belongs to the other account.
    if (accountId !== undefined && !isSame) return location.reload();
    for (const resolve of waiting) resolve(isSame);
    setWaiting([]);
    if (!isSame) return;
    void client.invalidateQueries({ queryKey: meQuery.queryKey });
    dispatchEvent(new Event(SIGNED_IN_AGAIN));
  };
  return waiting.length > 0 && <ExpiredDialog onFinish={finish} />;
}

/** Few people need it again. */
const SignInForm = lazy(async () => ({ default: (await import('./sign-in-pages.ts')).SignInForm }));

/** Above every other dialog: the session can expire while one is open. */
const Z_INDEX = 400;

function ExpiredDialog({ onFinish }: { onFinish: (accountId?: string) => void }) {
  useInertBackground();
  return (
    <Modal
      opened
      centered
      zIndex={Z_INDEX}
      // Escape would also close the dialog below.
      closeOnEscape={false}
      onClose={() => onFinish()}
      title="Your session has expired"
    >
      <p>Sign in again to go on. Nothing that you entered is lost.</p>
      <Suspense>
        <SignInForm onSignedIn={({ account }) => onFinish(account.id)} />
      </Suspense>
    </Modal>
  );
}
