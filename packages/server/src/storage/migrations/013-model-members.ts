import type { SchemaModule } from 'kysely';
import type { Migration } from './migration.ts';

export const modelMembersMigration: Migration = {
  name: '013-model-members',
  async up(schema) {
    for (const table of ['flags', 'split_tests']) {
      await addFilled(schema, table, 'tags', 'text', '[]');
      await addText(schema, table, 'owner');
    }
    for (const name of ['description', 'hypothesis', 'decision']) await addText(schema, 'split_tests', name);
    await addText(schema, 'goals', 'target');
    await addFilled(schema, 'feedback_types', 'option_styles', 'text', '{}');
    await addFilled(schema, 'environments', 'protected', 'integer', 0);
    await addFilled(schema, 'properties', 'display_currency', 'text', 'USD');
  },
};

const addText = (schema: SchemaModule, table: string, name: string) =>
  schema.alterTable(table).addColumn(name, 'text').execute();

const addFilled = (
  schema: SchemaModule,
  table: string,
  name: string,
  type: 'text' | 'integer',
  value: string | number,
) =>
  schema
    .alterTable(table)
    .addColumn(name, type, (column) => column.notNull().defaultTo(value))
    .execute();
