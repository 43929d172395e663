import {
  type ColumnDefinitionNode,
  DataTypeNode,
  type Dialect,
  type Driver,
  type OperationNode,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  type PostgresPool,
  PostgresQueryCompiler,
  RawNode,
  type TransactionSettings,
} from 'kysely';

/** Kysely dialect in which the migrations and queries written for SQLite mean the same. */
export function postgresDialect(pool: PostgresPool): Dialect {
  return {
    createDriver: () => new SnapshotDriver({ pool }) as Driver,
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new SqliteTypesCompiler(),
    createIntrospector: (database) => new PostgresIntrospector(database),
  };
}

/** The statements of a read-only transaction see one state of the database, as in SQLite. */
class SnapshotDriver extends PostgresDriver {
  override beginTransaction(
    connection: Parameters<PostgresDriver['beginTransaction']>[0],
    settings: TransactionSettings,
  ): Promise<void> {
    const isReadOnly = settings.accessMode === 'read only';
    return super.beginTransaction(
      connection,
      isReadOnly ? { isolationLevel: 'repeatable read', ...settings } : settings,
    );
  }
}

/** Columns that hold the same values in the same order as in SQLite. */
export const COLUMN_TYPES: Record<string, string> = {
  // By code point, whatever the locale of the server.
  text: 'text collate "C"',
  integer: 'bigint',
};

class SqliteTypesCompiler extends PostgresQueryCompiler {
  protected override visitColumnDefinition(node: ColumnDefinitionNode): void {
    super.visitColumnDefinition({ ...node, dataType: storedType(node.dataType) });
  }
}

function storedType(node: OperationNode): ColumnDefinitionNode['dataType'] {
  const type = DataTypeNode.is(node) ? COLUMN_TYPES[node.dataType] : undefined;
  return (type === undefined ? node : RawNode.createWithSql(type)) as ColumnDefinitionNode['dataType'];
}
