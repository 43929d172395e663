import { Alert, Button } from '@mantine/core';
import type { AccessToken, AccessTokens, CreatedToken } from '@switchyard/core/api/access-tokens';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api.ts';
import { formatDate } from '../../ui/format/format.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { RowAction } from '../../ui/lists/row-action.tsx';
import { StackedTable } from '../../ui/lists/stacked-table.tsx';
import { ConfirmDialog } from '../../ui/page/confirm-dialog.tsx';
import { Icon } from '../../ui/page/icon.tsx';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import { Snippet } from '../../ui/page/snippet.tsx';
import classes from './account-page.module.css';
import { NewTokenDialog } from './new-token-dialog.tsx';

const URL = '/v1/manage/me/tokens';
const queryKey = ['tokens'];

/** Tokens for scripts, CI and agents that act as this account. */
export function AccessTokenPanel() {
  const client = useQueryClient();
  const tokens = useQuery({ queryKey, queryFn: ({ signal }) => request<AccessTokens>(URL, { signal }) });
  const [isNew, setNew] = useState(false);
  const [created, setCreated] = useState<CreatedToken>();
  const refresh = () => client.invalidateQueries({ queryKey });
  const revoke = useMutation({
    mutationFn: (id: string) => request(`${URL}/${id}`, { method: 'DELETE' }),
    onSuccess: () => {
      setRevoked(undefined);
      return refresh();
    },
  });
  const [revoked, setRevoked] = useState<AccessToken>();
  return (
    <Panel
      title="Access tokens"
      hint="For scripts and CI: they act as you, with the role and the properties that you give them."
      flush
      actions={
        <Button size="xs" variant="default" leftSection={<Icon name="plus" />} onClick={() => setNew(true)}>
          New access token
        </Button>
      }
    >
      {created && (
        <Alert
          className={classes.inset}
          color="green"
          role="status"
          title={`Created the token “${created.name}”`}
        >
          <p>Copy it now: it cannot be shown again.</p>
          <Snippet label="the token" code={created.token ?? ''} />
          <Button mt="xs" size="xs" variant="default" onClick={() => setCreated(undefined)}>
            I have stored it
          </Button>
        </Alert>
      )}
      <Loaded query={tokens} what="your access tokens">
        {({ tokens: list }) =>
          list.length === 0 ? (
            <p className={`dimmed ${classes.inset}`}>No access tokens.</p>
          ) : (
            <TokenTable tokens={list} onRevoke={setRevoked} />
          )
        }
      </Loaded>
      {revoked && (
        <ConfirmDialog
          title={`Revoke the token “${revoked.name}”?`}
          confirmLabel="Revoke"
          isPending={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate(revoked.id)}
          onClose={() => {
            revoke.reset();
            setRevoked(undefined);
          }}
        >
          Whatever uses it gets errors from now on. It cannot be brought back.
        </ConfirmDialog>
      )}
      {isNew && (
        <NewTokenDialog
          onClose={() => setNew(false)}
          onCreated={(token) => {
            setNew(false);
            setCreated(token);
            void refresh();
          }}
        />
      )}
    </Panel>
  );
}

interface TokenTableProps {
  tokens: readonly AccessToken[];
  onRevoke: (token: AccessToken) => void;
}

function TokenTable({ tokens, onRevoke }: TokenTableProps) {
  return (
    <StackedTable head={['Name', 'Token', 'Role', 'Properties', 'Expires', 'Last used', '']}>
      {tokens.map((token) => (
        <tr key={token.id}>
          <td data-label="Name">{token.name}</td>
          <td data-label="Token">
            <code>
              {token.prefix}…{token.lastFour}
            </code>
          </td>
          <td data-label="Role">{token.role}</td>
          <td data-label="Properties">{token.properties?.join(', ') ?? 'all'}</td>
          <td data-label="Expires" className={token.expiresAt < Date.now() ? 'bad' : undefined}>
            {formatDate(token.expiresAt)}
          </td>
          <td data-label="Last used">
            {token.lastUsedAt === null ? 'never' : <RelativeTime at={token.lastUsedAt} />}
          </td>
          <td>
            <RowAction
              label={`Revoke the token “${token.name}”`}
              isDestructive
              onClick={() => onRevoke(token)}
            >
              Revoke
            </RowAction>
          </td>
        </tr>
      ))}
    </StackedTable>
  );
}
