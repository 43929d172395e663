import { Select } from '@mantine/core';
import type { PropertyMember, PropertyMembers } from '@switchyard/core/api/members';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { propertyPath, request } from '../../api.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { RowAction } from '../../ui/lists/row-action.tsx';
import { StackedTable } from '../../ui/lists/stacked-table.tsx';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import { meQuery, useMe } from '../accounts/use-me.ts';
import { useReview } from '../changes/review-context.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { InvitationPanel } from './invitation-panel.tsx';
import { MEMBER_ROLES, type MemberRole } from './member-roles.ts';
import classes from './settings-page.module.css';

/** Who may see and change the property, and who is invited. */
export function MemberSettings() {
  const { propertyId, missingRole } = useProperty();
  const members = useQuery({
    queryKey: ['members', propertyId],
    queryFn: ({ signal }) => request<PropertyMembers>(propertyPath(propertyId, 'members'), { signal }),
  });
  const reason = missingRole('admin');
  return (
    <>
      <Panel
        title="Members"
        flush
        hint="Viewers read everything, editors change tests, flags, goals and feedback types, admins also the rest. Owners have access without being listed."
      >
        {reason && <p className={`dimmed ${classes.inset}`}>Changing members: {reason.toLowerCase()}.</p>}
        <Loaded query={members} what="the members">
          {({ members: list }) =>
            list.length === 0 ? (
              <div className={classes.inset}>
                <EmptyState title="No members yet">
                  Only owners see this property. Invite the people who work with it.
                </EmptyState>
              </div>
            ) : (
              <MemberTable members={list} reason={reason} />
            )
          }
        </Loaded>
      </Panel>
      <InvitationPanel reason={reason} />
    </>
  );
}

interface MemberTableProps {
  members: readonly PropertyMember[];
  /** Why nothing can be changed. */
  reason: string | undefined;
}

function MemberTable({ members, reason }: MemberTableProps) {
  const { account } = useMe();
  const { change, remove } = useMemberChanges();
  return (
    <StackedTable head={['Name', 'Email', 'Role', 'Since', '']}>
      {members.map((member) => (
        <tr key={member.accountId}>
          <td data-label="Name">
            {member.name} {member.accountId === account.id && <span className="badge">you</span>}{' '}
            {member.disabled && <span className="badge">disabled</span>}
          </td>
          <td data-label="Email">{member.email}</td>
          <td data-label="Role">
            <Select
              size="xs"
              w={110}
              aria-label={`Role of ${member.name}`}
              allowDeselect={false}
              disabled={reason !== undefined}
              title={reason}
              data={MEMBER_ROLES}
              value={member.role}
              onChange={(role) => void change(member, role as MemberRole)}
            />
          </td>
          <td data-label="Since">
            <RelativeTime at={member.createdAt} />
          </td>
          <td>
            <RowAction
              label={`Remove ${member.name}`}
              reason={reason}
              isDestructive
              onClick={() => void remove(member)}
            >
              Remove
            </RowAction>
          </td>
        </tr>
      ))}
    </StackedTable>
  );
}

/** Changes and removes members after a review. */
function useMemberChanges() {
  const { propertyId } = useProperty();
  const { account } = useMe();
  const client = useQueryClient();
  const navigate = useNavigate();
  const review = useReview();
  const requestOf = ({ accountId, version }: PropertyMember) => ({
    path: propertyPath(propertyId, 'members', accountId),
    version,
  });
  const refresh = () => client.invalidateQueries({ queryKey: ['members', propertyId] });
  const change = async (member: PropertyMember, role: MemberRole) => {
    if (role === member.role) return;
    const { outcome } = await review({
      ...requestOf(member),
      title: `Make ${member.name} ${role === 'viewer' ? 'a' : 'an'} ${role}`,
      method: 'PUT',
      body: { role },
    });
    if (outcome === 'cancelled') return;
    void refresh();
    if (member.accountId === account.id) void client.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  const remove = async (member: PropertyMember) => {
    const isSelf = member.accountId === account.id && !account.isOwner;
    const { outcome } = await review({
      ...requestOf(member),
      title: isSelf ? 'Remove yourself: you lose access at once' : `Remove ${member.name}`,
      confirmLabel: 'Remove',
      isDestructive: true,
      method: 'DELETE',
    });
    if (outcome !== 'saved') return;
    void refresh();
    if (!isSelf) return;
    client.removeQueries({ queryKey: ['properties'] });
    await client.invalidateQueries({ queryKey: meQuery.queryKey });
    await navigate({ to: '/' });
  };
  return { change, remove };
}
