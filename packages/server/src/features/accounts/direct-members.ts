import { type Database, touchProperty } from '../../storage/database.ts';
import type { MemberWriter } from './account-parts.ts';

// integrator replaces: writes memberships without history.
export function directMembers(database: Database, reload: () => Promise<void>): MemberWriter {
  return {
    async saveMember(propertyId, accountId, role) {
      await database.transaction().execute(async (transaction) => {
        const last = await transaction
          .selectFrom('members')
          .select((select) => select.fn.max<number | null>('position').as('position'))
          .where('property_id', '=', propertyId)
          .executeTakeFirst();
        await transaction
          .insertInto('members')
          .values({
            property_id: propertyId,
            account_id: accountId,
            role,
            version: 1,
            position: (last?.position ?? 0) + 1,
            created_at: Date.now(),
          })
          .onConflict((conflict) =>
            conflict
              .columns(['property_id', 'account_id'])
              .doUpdateSet((eb) => ({ role, version: eb('members.version', '+', 1) })),
          )
          .execute();
        await touchProperty(transaction, propertyId);
      });
      await reload();
    },
    async removeMember(propertyId, accountId) {
      await database.transaction().execute(async (transaction) => {
        await transaction
          .deleteFrom('members')
          .where('property_id', '=', propertyId)
          .where('account_id', '=', accountId)
          .execute();
        await touchProperty(transaction, propertyId);
      });
      await reload();
    },
  };
}
