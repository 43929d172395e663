import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import type { Lane, SqliteEngine } from './sqlite-engine.ts';

/** Kysely dialect for a SQLite engine on any thread. */
export function sqliteDialect(engine: SqliteEngine): Dialect {
  return {
    createDriver: () => new EngineDriver(engine),
    createAdapter: () => new TransactionalAdapter(),
    createQueryCompiler: () => new WithoutRowLocks(),
    createIntrospector: (database) => new SqliteIntrospector(database),
  };
}

/** SQLite can roll back schema changes, so migrations are atomic. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** SQLite has no row locks and needs none: a transaction that writes is the only one. */
class WithoutRowLocks extends SqliteQueryCompiler {
  protected override visitSelectModifier(): void {}
}

class EngineDriver implements Driver {
  readonly #engine: SqliteEngine;
  readonly #lanes: Record<Lane, LaneQueue>;

  constructor(engine: SqliteEngine) {
    this.#engine = engine;
    const write = new LaneQueue(engine, 'write');
    this.#lanes = { read: engine.supportsConcurrentReads ? new LaneQueue(engine, 'read') : write, write };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<EngineConnection> {
    return new EngineConnection(this.#lanes);
  }

  /** Locks immediately: a transaction that upgrades to writing fails if another process wrote in between. */
  beginTransaction(connection: EngineConnection, { accessMode }: TransactionSettings): Promise<void> {
    return accessMode === 'read only'
      ? connection.begin('read', 'begin')
      : connection.begin('write', 'begin immediate');
  }

  commitTransaction(connection: EngineConnection): Promise<void> {
    return connection.commit();
  }

  rollbackTransaction(connection: EngineConnection): Promise<void> {
    return connection.rollback();
  }

  async releaseConnection(): Promise<void> {}

  destroy(): Promise<void> {
    return this.#engine.close();
  }
}

/** Holds a lane for one statement or transaction. */
class EngineConnection implements DatabaseConnection {
  readonly #lanes: Record<Lane, LaneQueue>;
  #transaction: { lane: LaneQueue; release: () => void } | undefined;

  constructor(lanes: Record<Lane, LaneQueue>) {
    this.#lanes = lanes;
  }

  async begin(name: Lane, statement: string): Promise<void> {
    const lane = this.#lanes[name];
    const release = await lane.acquire();
    try {
      await lane.execute(CompiledQuery.raw(statement));
      this.#transaction = { lane, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Kysely rolls back after a failed commit. */
  async commit(): Promise<void> {
    await this.executeQuery(CompiledQuery.raw('commit'));
    this.#end();
  }

  async rollback(): Promise<void> {
    try {
      await this.executeQuery(CompiledQuery.raw('rollback'));
    } finally {
      this.#end();
    }
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#transaction !== undefined) return this.#transaction.lane.execute(query);
    const lane = this.#lanes[SelectQueryNode.is(query.query) ? 'read' : 'write'];
    const release = await lane.acquire();
    return lane.execute<Row>(query).finally(release);
  }

  streamQuery(): never {
    throw new Error('streaming queries are not supported');
  }

  #end(): void {
    this.#transaction?.release();
    this.#transaction = undefined;
  }
}

/** One connection of the engine with its queue. */
class LaneQueue {
  readonly #engine: SqliteEngine;
  readonly #name: Lane;
  #last: Promise<void> = Promise.resolve();

  constructor(engine: SqliteEngine, name: Lane) {
    this.#engine = engine;
    this.#name = name;
  }

  /** Resolves with a release function when it is the caller's turn. */
  async acquire(): Promise<() => void> {
    const previous = this.#last;
    let release = () => {};
    this.#last = new Promise((resolve) => {
      release = resolve;
    });
    await previous;
    return release;
  }

  async execute<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, changes } = await this.#engine.execute(this.#name, sql, parameters);
    const result = { rows: rows as Row[] };
    return changes === undefined ? result : { ...result, numAffectedRows: BigInt(changes) };
  }
}
