import { Button } from '@mantine/core';
import type { AccountSessions } from '@switchyard/core/api/accounts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { messageOf, request } from '../../api.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { StackedTable } from '../../ui/lists/stacked-table.tsx';
import { LoadError } from '../../ui/page/page-states.tsx';
import { Loaded, Panel } from '../../ui/page/panel.tsx';

const URL = '/v1/manage/me/sessions';
const queryKey = ['account-sessions'];

/** The browsers in which the account is signed in. */
export function SignedInBrowsers() {
  const client = useQueryClient();
  const sessions = useQuery({ queryKey, queryFn: ({ signal }) => request<AccountSessions>(URL, { signal }) });
  const signOut = useMutation({
    mutationFn: (id: string) => request(`${URL}/${id}`, { method: 'DELETE' }),
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
  return (
    <Panel title="Signed-in browsers" flush>
      {signOut.error && <LoadError title="Cannot sign out that browser" message={messageOf(signOut.error)} />}
      <Loaded query={sessions} what="your sessions">
        {({ sessions: list }) => (
          <StackedTable head={['Browser', 'Address', 'Signed in', 'Last seen', '']}>
            {list.map((session) => (
              <tr key={session.id}>
                <td data-label="Browser">
                  {describeUserAgent(session.userAgent)}{' '}
                  {session.current && <span className="badge">this one</span>}
                </td>
                <td data-label="Address">{session.address}</td>
                <td data-label="Signed in">
                  <RelativeTime at={session.createdAt} />
                </td>
                <td data-label="Last seen">
                  <RelativeTime at={session.lastSeenAt} />
                </td>
                <td>
                  {!session.current && (
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      color="red"
                      loading={signOut.isPending && signOut.variables === session.id}
                      aria-label={`Sign out ${describeUserAgent(session.userAgent)} at ${session.address}`}
                      onClick={() => signOut.mutate(session.id)}
                    >
                      Sign out
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </StackedTable>
        )}
      </Loaded>
    </Panel>
  );
}

/** "Firefox on Linux"; good enough to recognise one's own browsers. */
function describeUserAgent(text: string | null): string {
  if (text === null) return 'Unknown browser';
  const browser = /Edg|OPR|Firefox|Chrome|Safari|curl|node/.exec(text)?.[0];
  const system = /Windows|Android|iPhone|iPad|Mac OS|Linux/.exec(text)?.[0];
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser ?? ''] ?? browser ?? text.slice(0, 40);
  return system ? `${name} on ${system}` : name;
}
