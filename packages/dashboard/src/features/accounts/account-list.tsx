import { Badge, Button, Group, Table } from '@mantine/core';
import type { AccountsPage, PatchAccountBody } from '@switchyard/core/api/accounts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { messageOf, request } from '../../api.ts';
import { LoadError } from '../../ui/page-states.tsx';
import { Loaded, Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StackedTable } from '../../ui/stacked-table.tsx';
import { useMe } from './use-me.ts';

const URL = '/v1/manage/accounts';
const queryKey = ['accounts'];

/** All accounts of the installation, for owners. */
export function AccountList() {
  const { account: own } = useMe();
  const client = useQueryClient();
  const accounts = useQuery({ queryKey, queryFn: ({ signal }) => allAccounts(signal) });
  const change = useMutation({
    mutationFn: ({ id, ...body }: PatchAccountBody & { id: string }) =>
      request(`${URL}/${id}`, { method: 'PATCH', body }),
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
  return (
    <Panel title="All accounts" flush hint="Owners see every property. A disabled account cannot sign in.">
      {change.error && <LoadError title="The account was not changed" message={messageOf(change.error)} />}
      <Loaded query={accounts} what="the accounts">
        {(list) => (
          <StackedTable head={['Name', 'Email', 'State', 'Since', '']}>
            {list.map(({ id, name, email, isOwner, twoFactor, disabledAt, createdAt }) => (
              <Table.Tr key={id}>
                <Table.Td data-label="Name">{name}</Table.Td>
                <Table.Td data-label="Email">{email}</Table.Td>
                <Table.Td data-label="State">
                  <Group gap={4}>
                    {isOwner && <Badge variant="default">owner</Badge>}
                    {twoFactor && <Badge variant="default">two-factor</Badge>}
                    {disabledAt !== null && <Badge variant="default">disabled</Badge>}
                  </Group>
                </Table.Td>
                <Table.Td data-label="Since">
                  <RelativeTime at={createdAt} />
                </Table.Td>
                <Table.Td>
                  {id !== own.id && (
                    <Group gap={4}>
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        loading={change.isPending && change.variables.id === id}
                        aria-label={`${isOwner ? 'Remove as owner' : 'Make owner'}: ${email}`}
                        onClick={() => change.mutate({ id, owner: !isOwner })}
                      >
                        {isOwner ? 'Remove as owner' : 'Make owner'}
                      </Button>
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        color="red"
                        aria-label={`${disabledAt === null ? 'Disable' : 'Enable'} ${email}`}
                        onClick={() => change.mutate({ id, disabled: disabledAt === null })}
                      >
                        {disabledAt === null ? 'Disable' : 'Enable'}
                      </Button>
                    </Group>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </StackedTable>
        )}
      </Loaded>
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
