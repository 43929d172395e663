import type { Insertable, Kysely } from 'kysely';
import { type Database, nextPosition } from '../database.ts';
import type { DatabaseTables } from '../migrations/database-tables.ts';
import type { ItemStore } from './configuration-writer.ts';

/** Tables whose rows are identified by the property and an id that its owner chose. */
type KeyedTable = 'environments' | 'goals' | 'feedback_types' | 'segments' | 'webhooks';

/** Saves items in such a table; `columnsOf` are the columns that can change. */
export function keyedItemStore<Name extends KeyedTable, Item extends { id: string; createdAt?: number }>(
  name: Name,
  columnsOf: (item: Item) => Omit<Insertable<DatabaseTables[Name]>, RowColumn>,
): ItemStore<Item> {
  const table: string = name;
  return {
    async insert(database, propertyId, item, at) {
      const row: KeyedRow = {
        property_id: propertyId,
        id: item.id,
        ...columnsOf(item),
        position: await nextPosition(database, name, propertyId),
        created_at: item.createdAt ?? at,
      };
      await anyTable(database).insertInto(table).values(row).execute();
    },
    async update(database, propertyId, item) {
      await anyTable(database)
        .updateTable(table)
        .set(columnsOf(item) as object)
        .where('property_id', '=', propertyId)
        .where('id', '=', item.id)
        .execute();
    },
    async remove(database, propertyId, { id }) {
      await anyTable(database)
        .deleteFrom(table)
        .where('property_id', '=', propertyId)
        .where('id', '=', id)
        .execute();
    },
  };
}

type RowColumn = 'property_id' | 'id' | 'position' | 'created_at';

interface KeyedRow {
  property_id: string;
  id: string;
}

/** Kysely cannot type a statement whose table is a parameter; `columnsOf` has the type of the table. */
function anyTable(database: Database): Kysely<Record<string, KeyedRow>> {
  return database as unknown as Kysely<Record<string, KeyedRow>>;
}
