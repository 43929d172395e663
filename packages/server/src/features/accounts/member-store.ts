import type { Database } from '../../storage/database.ts';
import type { Member } from '../../storage/property-configuration.ts';

export async function listMembers(database: Database, propertyId: string): Promise<Member[]> {
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
