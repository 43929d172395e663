import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { handleSessionExpired } from '../../api.ts';
import { useInertBackground } from '../../ui/use-inert-background.ts';
import { SignInForm } from './sign-in-form.tsx';
import { meQuery } from './use-me.ts';

/**
 * Asks for the password again when the session has expired, on top of the page, so that unsaved work stays. All
 * requests that were refused wait for it and are repeated.
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
  const finish = (signedIn: boolean) => {
    for (const resolve of waiting) resolve(signedIn);
    setWaiting([]);
    if (signedIn) void client.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  return waiting.length > 0 && <ExpiredDialog onFinish={finish} />;
}

/** Above every other dialog: the session can expire while one is open. */
const Z_INDEX = 400;

function ExpiredDialog({ onFinish }: { onFinish: (signedIn: boolean) => void }) {
  useInertBackground();
  return (
    <Modal
      opened
      centered
      zIndex={Z_INDEX}
      // Escape would also close the dialog below.
      closeOnEscape={false}
      onClose={() => onFinish(false)}
      title="Your session has expired"
    >
      <p>Sign in again to go on. Nothing that you entered is lost.</p>
      <SignInForm onSignedIn={() => onFinish(true)} />
    </Modal>
  );
}
