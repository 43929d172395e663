import { Alert, Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import type { RecoveryCodes, TwoFactorSecret, TwoFactorState } from '@switchyard/core/api/accounts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf, request } from '../../api.ts';
import { Form } from '../../ui/fields/form.tsx';
import { plural } from '../../ui/format/format.ts';
import { ErrorAlert } from '../../ui/page/error-alert.tsx';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import { Snippet } from '../../ui/page/snippet.tsx';
import { useMe } from './use-me.ts';

const URL = '/v1/manage/me/two-factor';
const queryKey = ['two-factor'];

/** A second proof at sign-in: a code of an authenticator app. */
export function TwoFactorPanel() {
  const state = useQuery({ queryKey, queryFn: ({ signal }) => request<TwoFactorState>(URL, { signal }) });
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <Panel title="Two-factor" hint="Signing in also asks for a code of your authenticator app.">
      {codes && <NewRecoveryCodes codes={codes} onStored={() => setCodes(undefined)} />}
      <Loaded query={state} what="the state of two-factor" height={40}>
        {({ enabled, recoveryCodes }) =>
          enabled ? <TurnOff recoveryCodes={recoveryCodes} /> : <TurnOn onDone={setCodes} />
        }
      </Loaded>
    </Panel>
  );
}

function TurnOn({ onDone }: { onDone: (codes: readonly string[]) => void }) {
  const client = useQueryClient();
  const [code, setCode] = useState('');
  const begin = useMutation({ mutationFn: () => request<TwoFactorSecret>(URL, { method: 'POST' }) });
  const confirm = useMutation({
    mutationFn: () => request<RecoveryCodes>(`${URL}/confirm`, { method: 'POST', body: { code } }),
    onSuccess: ({ recoveryCodes }) => {
      onDone(recoveryCodes);
      void client.invalidateQueries({ queryKey });
    },
  });
  const cancel = () => {
    begin.reset();
    confirm.reset();
    setCode('');
  };
  const error = confirm.error ?? begin.error;
  return (
    <Stack gap="sm">
      {!begin.data && (
        <Group>
          <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate()}>
            Turn on two-factor
          </Button>
        </Group>
      )}
      {begin.data && (
        <Form onSubmit={() => confirm.mutate()}>
          <Stack gap="sm">
            <p>
              Add this secret to your authenticator app, or{' '}
              <a href={begin.data.uri}>open it in an app on this device</a>. Then enter the code that it
              shows.
            </p>
            <Snippet
              label="the secret"
              code={begin.data.secret}
              shown={begin.data.secret.replace(/.{4}(?=.)/g, '$& ')}
            />
            <Group align="end">
              <TextInput
                label="Code"
                autoComplete="one-time-code"
                inputMode="numeric"
                required
                value={code}
                onChange={(event) => setCode(event.currentTarget.value)}
              />
              <Button type="submit" loading={confirm.isPending}>
                Confirm
              </Button>
              <Button variant="default" onClick={cancel}>
                Cancel
              </Button>
            </Group>
          </Stack>
        </Form>
      )}
      <ErrorAlert error={error} />
    </Stack>
  );
}

function NewRecoveryCodes({ codes, onStored }: { codes: readonly string[]; onStored: () => void }) {
  return (
    <Alert color="green" role="status" title="Two-factor is on. Store these recovery codes" mb="sm">
      <p>Each works once, if you lose your authenticator app. They are not shown again.</p>
      <Snippet label="the recovery codes" code={codes.join('\n')} />
      <Button mt="xs" size="xs" variant="default" onClick={onStored}>
        I have stored them
      </Button>
    </Alert>
  );
}

function TurnOff({ recoveryCodes }: { recoveryCodes: number }) {
  const client = useQueryClient();
  const { hasPassword } = useMe().account;
  const [proof, setProof] = useState('');
  const remove = useMutation({
    mutationFn: () =>
      request(URL, { method: 'DELETE', body: hasPassword ? { password: proof } : { code: proof } }),
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
  const field = {
    required: true,
    w: 240,
    value: proof,
    error: remove.error ? messageOf(remove.error) : undefined,
    onChange: (event: { currentTarget: { value: string } }) => setProof(event.currentTarget.value),
  };
  return (
    <Form onSubmit={() => remove.mutate()}>
      <p>
        Two-factor is on. {plural(recoveryCodes, 'recovery code')} left.
        {recoveryCodes === 0 && ' Turn it off and on again to get new ones.'}
      </p>
      <Group align="end">
        {hasPassword ? (
          <PasswordInput label="Your password" autoComplete="current-password" {...field} />
        ) : (
          <TextInput label="Code" autoComplete="one-time-code" {...field} />
        )}
        <Button type="submit" color="red" variant="light" loading={remove.isPending}>
          Turn off two-factor
        </Button>
      </Group>
    </Form>
  );
}
