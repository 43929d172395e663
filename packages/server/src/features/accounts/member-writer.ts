import type { ConfigurationWriter } from '../../configuration/writer/configuration-writer.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { MemberWriter } from './account-services.ts';

/** Memberships are saved like any other configuration. */
export function createMemberWriter(writer: ConfigurationWriter): MemberWriter {
  return {
    saveMember(propertyId, accountId, role, by, check) {
      return writer.changeProperty(propertyId, by, async ({ current, now, database }) => {
        if (current === undefined) return undefined;
        const known = current.members.find((member) => member.accountId === accountId);
        await check?.(database, known);
        const member = known ?? { accountId, version: 0, createdAt: now };
        const others = current.members.filter((each) => each !== known);
        return { ...current, members: [...others, { ...member, role }] };
      });
    },
    removeMember(propertyId, accountId, by, check) {
      return writer.changeProperty(propertyId, by, async ({ current, database }) => {
        const known = current?.members.find((member) => member.accountId === accountId);
        if (current === undefined || known === undefined) {
          throw new ApiError('not_found', { message: 'The property has no such member.' });
        }
        await check?.(database, known);
        return { ...current, members: current.members.filter((each) => each !== known) };
      });
    },
  };
}
