import { Button, Group } from '@mantine/core';
import type { AccountsPage, PatchAccountBody } from '@switchyard/core/api/accounts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { StackedTable } from '../../ui/lists/stacked-table.tsx';
import { ConfirmDialog } from '../../ui/page/confirm-dialog.tsx';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import { DELETION } from './delete-account-panel.tsx';
import { useMe } from './use-me.ts';

const URL = '/v1/manage/accounts';
const queryKey = ['accounts'];

/** A change that waits for confirmation. */
interface Asked {
  title: string;
  consequence: string;
  confirmLabel: string;
  id: string;
  /** Undefined: the account is deleted. */
  body?: PatchAccountBody;
}

/** All accounts of the installation, for owners. */
export function AccountList() {
  const { account: own } = useMe();
  const client = useQueryClient();
  const accounts = useQuery({ queryKey, queryFn: ({ signal }) => allAccounts(signal) });
  const change = useMutation({
    mutationFn: ({ id, body }: Asked) =>
      request(`${URL}/${id}`, body === undefined ? { method: 'DELETE' } : { method: 'PATCH', body }),
    onSuccess: () => {
      setAsked(undefined);
      return client.invalidateQueries({ queryKey });
    },
  });
  const [asked, setAsked] = useState<Asked>();
  return (
    <Panel title="All accounts" flush hint="Owners see every property. A disabled account cannot sign in.">
      <Loaded query={accounts} what="the accounts">
        {(list) => (
          <StackedTable head={['Name', 'Email', 'State', 'Since', '']}>
            {list.map(({ id, name, email, isOwner, twoFactor, disabledAt, createdAt }) => (
              <tr key={id}>
                <td data-label="Name">{name}</td>
                <td data-label="Email">{email}</td>
                <td data-label="State">
                  <Group gap={4}>
                    {isOwner && <span className="badge">owner</span>}
                    {twoFactor && <span className="badge">two-factor</span>}
                    {disabledAt !== null && <span className="badge">disabled</span>}
                  </Group>
                </td>
                <td data-label="Since">
                  <RelativeTime at={createdAt} />
                </td>
                <td>
                  {id !== own.id && (
                    <Group gap={4}>
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        aria-label={`${isOwner ? 'Remove as owner' : 'Make owner'}: ${email}`}
                        onClick={() =>
                          setAsked({
                            title: `${isOwner ? 'Remove' : 'Make'} ${email} ${isOwner ? 'as' : 'an'} owner?`,
                            consequence: isOwner
                              ? 'The account keeps only the properties of which it is a member.'
                              : 'Owners see and change everything, in every property.',
                            confirmLabel: isOwner ? 'Remove as owner' : 'Make owner',
                            id,
                            body: { owner: !isOwner },
                          })
                        }
                      >
                        {isOwner ? 'Remove as owner' : 'Make owner'}
                      </Button>
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        color="red"
                        aria-label={`${disabledAt === null ? 'Disable' : 'Enable'} ${email}`}
                        onClick={() =>
                          setAsked({
                            title: `${disabledAt === null ? 'Disable' : 'Enable'} ${email}?`,
                            consequence:
                              disabledAt === null
                                ? 'All its sessions end at once, and its access tokens stop working.'
                                : 'The account can sign in again, with the roles it had.',
                            confirmLabel: disabledAt === null ? 'Disable' : 'Enable',
                            id,
                            body: { disabled: disabledAt === null },
                          })
                        }
                      >
                        {disabledAt === null ? 'Disable' : 'Enable'}
                      </Button>
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        color="red"
                        aria-label={`Delete ${email}`}
                        onClick={() =>
                          setAsked({
                            title: `Delete ${email}?`,
                            consequence: DELETION,
                            confirmLabel: 'Delete for good',
                            id,
                          })
                        }
                      >
                        Delete
                      </Button>
                    </Group>
                  )}
                </td>
              </tr>
            ))}
          </StackedTable>
        )}
      </Loaded>
      {asked && (
        <ConfirmDialog
          title={asked.title}
          confirmLabel={asked.confirmLabel}
          isPending={change.isPending}
          error={change.error}
          onConfirm={() => change.mutate(asked)}
          onClose={() => {
            change.reset();
            setAsked(undefined);
          }}
        >
          {asked.consequence}
        </ConfirmDialog>
      )}
    </Panel>
  );
}

async function allAccounts(signal: AbortSignal): Promise<AccountsPage['accounts']> {
  const accounts: AccountsPage['accounts'] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: AccountsPage = await request<AccountsPage>(URL, { query: { limit: 500, cursor }, signal });
    accounts.push(...page.accounts);
    cursor = page.nextCursor;
  }
  return accounts;
}
