import type { CollectionDefinition } from '../../configuration/definitions/collection-definition.ts';
import { memberRows } from './member-store.ts';

export const memberDefinition: CollectionDefinition<'member'> = {
  type: 'member',
  field: 'members',
  keyField: 'accountId',
  tables: { members: ['property_id', 'account_id'] },
  rows: memberRows,
  words: { fields: {}, created: 'added', deleted: 'removed' },
  // Somebody who was removed and invited again has been a member since then.
  restore: (earlier, present) => (present === undefined ? earlier : { ...present, role: earlier.role }),
};
