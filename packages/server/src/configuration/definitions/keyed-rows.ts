import type { Insertable, Kysely, Selectable } from 'kysely';
import { type Database, nextPosition, type PositionedTable } from '../database/database.ts';
import type { DatabaseTables } from '../database/tables/database-tables.ts';
import type { ItemRows } from './collection-definition.ts';

/** Tables whose rows are identified by the property and an id that its owner chose. */
type KeyedTable = {
  [Name in PositionedTable]: DatabaseTables[Name] extends { id: string } ? Name : never;
}[PositionedTable];

interface Columns<Name extends KeyedTable, Item> {
  toItem(row: Selectable<DatabaseTables[Name]>): Item;
  /** The columns that can change. */
  toColumns(item: Item): Omit<Insertable<DatabaseTables[Name]>, RowColumn>;
}

/** The items in such a table. */
export function keyedRows<Name extends KeyedTable, Item extends { id: string; createdAt?: number }>(
  name: Name,
  { toItem, toColumns }: Columns<Name, Item>,
): ItemRows<Item> {
  const table: string = name;
  return {
    async list(database, propertyId) {
      const rows = await anyTable(database)
        .selectFrom(table)
        .selectAll()
        .where('property_id', '=', propertyId)
        .orderBy('position')
        .execute();
      return rows.map((row) => toItem(row as unknown as Selectable<DatabaseTables[Name]>));
    },
    async insert(database, propertyId, item, at) {
      const row: KeyedRow = {
        property_id: propertyId,
        id: item.id,
        ...toColumns(item),
        position: await nextPosition(database, name, propertyId),
        created_at: item.createdAt ?? at,
      };
      await anyTable(database).insertInto(table).values(row).execute();
    },
    async update(database, propertyId, item) {
      await anyTable(database)
        .updateTable(table)
        .set(toColumns(item) as object)
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
  position: number;
  created_at: number;
}

/** Kysely cannot type a statement whose table is a parameter; `toColumns` has the type of the table. */
function anyTable(database: Database): Kysely<Record<string, KeyedRow>> {
  return database as unknown as Kysely<Record<string, KeyedRow>>;
}
