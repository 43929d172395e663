import type { ConfigurationWriter } from '../../storage/changes/configuration-writer.ts';
import type { MemberWriter } from './account-parts.ts';

/** Memberships are saved like any other configuration. */
export function createMemberWriter(writer: ConfigurationWriter): MemberWriter {
  return {
    async saveMember(propertyId, accountId, role, by) {
      await writer.changeProperty(propertyId, by, ({ current, now }) => {
        if (current === undefined) return undefined;
        const known = current.members.find((member) => member.accountId === accountId);
        const member = known ?? { accountId, version: 0, createdAt: now };
        const others = current.members.filter((each) => each !== known);
        return { ...current, members: [...others, { ...member, role }] };
      });
    },
    async removeMember(propertyId, accountId, by) {
      await writer.changeProperty(propertyId, by, ({ current }) => {
        if (current === undefined) return undefined;
        const members = current.members.filter((member) => member.accountId !== accountId);
        return { ...current, members };
      });
    },
  };
}
