import { recordAudited } from '../../configuration/audit/audit-log.ts';
import { memberSubject } from '../../configuration/audit/audited-rows.ts';
import { type Database, nextPosition } from '../../configuration/database/database.ts';
import type { ItemRows } from '../../configuration/definitions/collection-definition.ts';
import type { Member } from '../../configuration/property/property-configuration.ts';

async function listMembers(database: Database, propertyId: string): Promise<Member[]> {
  const rows = await database
    .selectFrom('members')
    .selectAll()
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  return rows.map((row) => ({
    accountId: row.account_id,
    role: row.role,
    version: row.version,
    createdAt: row.created_at,
  }));
}

export const memberRows: ItemRows<Member> = {
  list: listMembers,
  async insert(database, propertyId, { accountId, role, version, createdAt }) {
    await database
      .insertInto('members')
      .values({
        property_id: propertyId,
        account_id: accountId,
        role,
        version,
        position: await nextPosition(database, 'members', propertyId),
        created_at: createdAt,
      })
      .execute();
    await recordAudited(database, 'member', [memberSubject(propertyId, accountId)]);
  },
  async update(database, propertyId, { accountId, role, version }) {
    await database
      .updateTable('members')
      .set({ role, version })
      .where('property_id', '=', propertyId)
      .where('account_id', '=', accountId)
      .execute();
    await recordAudited(database, 'member', [memberSubject(propertyId, accountId)]);
  },
  async remove(database, propertyId, { accountId }) {
    await database
      .deleteFrom('members')
      .where('property_id', '=', propertyId)
      .where('account_id', '=', accountId)
      .execute();
    await recordAudited(database, 'member', [memberSubject(propertyId, accountId)]);
  },
};
