import type { SchemaModule } from 'kysely';
import { recordAll } from '../audit/audit-log.ts';
import type { Database } from '../database.ts';
import type { Migration } from './migration.ts';

/**
 * Times by the clock and in order, text that can be redacted, and the log of access. The history starts again: entries
 * of the previous chain cannot be verified in this one.
 */
export const auditMigration: Migration = {
  name: '030-audit',
  async up(schema, database) {
    await schema.dropTable('history').execute();
    await schema.dropTable('history_snapshots').execute();
    await createHistory(schema);
    await createClockCorrections(schema);
    await createAuditLog(schema);
    await schema
      .createTable('deleted_accounts')
      .addColumn('number', 'integer', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull().unique())
      .addColumn('deleted_at', 'bigint', (column) => column.notNull())
      .execute();
    // All columns that it reads are older.
    await recordAll(database as Database);
  },
};

async function createHistory(schema: SchemaModule): Promise<void> {
  // No foreign key: the history outlives its property.
  await schema
    .createTable('history')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('property_id', 'text', (column) => column.notNull())
    .addColumn('sequence', 'integer', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('ordered_at', 'bigint', (column) => column.notNull())
    .addColumn('actor_type', 'text', (column) => column.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('actor_name', 'text', (column) => column.notNull())
    .addColumn('via', 'text', (column) => column.notNull())
    .addColumn('entity_type', 'text', (column) => column.notNull())
    .addColumn('entity_key', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('comment', 'text')
    .addColumn('changes', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('property_version', 'integer', (column) => column.notNull())
    .addColumn('salt', 'text')
    .addColumn('commitment', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addUniqueConstraint('history_chain', ['property_id', 'sequence'])
    .execute();
  await schema
    .createIndex('history_of_item')
    .on('history')
    .columns(['property_id', 'entity_type', 'entity_key', 'sequence'])
    .execute();
  await schema
    .createIndex('history_of_version')
    .on('history')
    .columns(['property_id', 'property_version', 'sequence'])
    .execute();
  await schema
    .createIndex('history_times')
    .on('history')
    .columns(['property_id', 'sequence', 'at', 'ordered_at'])
    .execute();
  await schema
    .createTable('history_snapshots')
    .addColumn('property_id', 'text', (column) => column.notNull())
    .addColumn('sequence', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('history_snapshots_pk', ['property_id', 'sequence'])
    .execute();
}

async function createClockCorrections(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('clock_corrections')
    .addColumn('property_id', 'text', (column) => column.notNull())
    .addColumn('sequence', 'integer', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('clock_corrections_pk', ['property_id', 'sequence'])
    .execute();
}

async function createAuditLog(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('audit_log')
    .addColumn('sequence', 'integer', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('salt', 'text')
    .addColumn('digest', 'text')
    .addColumn('hash', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('audit_log_of_subject')
    .on('audit_log')
    .columns(['kind', 'subject', 'sequence'])
    .execute();
}
