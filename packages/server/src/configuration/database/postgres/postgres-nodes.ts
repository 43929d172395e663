import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { NodeMessage, Nodes } from '../nodes.ts';
import type { ConnectionGuard } from './connection-guard.ts';
import { Leadership } from './leadership.ts';
import { CHANNEL, NodeSession } from './node-session.ts';
import type { PostgresServers } from './postgres-servers.ts';
import { clientClass, connectionSettings } from './server-client.ts';

/** Of a statement that takes a few milliseconds. */
const TIMEOUT = { statementTimeoutMs: 2000 };

/** Whom to tell about outages of the database. */
export interface OutageListener {
  /** Called once per outage. */
  onUnavailable?: (error: unknown) => void;
  onBack?: () => void;
  /** Called when the work of the leader could not be stopped properly. */
  onError?: (error: unknown) => void;
}

export interface PostgresNodesOptions {
  servers: PostgresServers;
  database: Database;
  guard: ConnectionGuard;
  /** Migrates the database. */
  prepare: () => Promise<void>;
  /** Whether the database has been migrated. */
  isPrepared: boolean;
  exclusively: Nodes['exclusively'];
  listener: OutageListener;
}

/** A node among others that use the same PostgreSQL database. */
export class PostgresNodes implements Nodes {
  readonly exclusively: Nodes['exclusively'];
  readonly #options: PostgresNodesOptions;
  readonly #leadership: Leadership;
  readonly #session: NodeSession;
  readonly #changeListeners = new Set<() => void>();
  readonly #messageListeners = new Set<(message: NodeMessage) => void>();
  readonly #waiting = new Set<() => void>();

  constructor(options: PostgresNodesOptions) {
    this.#options = options;
    this.exclusively = options.exclusively;
    const { servers, guard, listener, prepare } = options;
    const Client = clientClass(servers, TIMEOUT);
    this.#leadership = new Leadership((error) => listener.onError?.(error));
    this.#session = new NodeSession(
      {
        createClient: () => new Client(connectionSettings(TIMEOUT)),
        prepare,
        guard,
        leadership: this.#leadership,
        onChange: () => {
          for (const onChange of this.#changeListeners) onChange();
        },
        onMessage: (message) => this.#deliver(message),
        onUnavailable: (error) => listener.onUnavailable?.(error),
        onBack: () => this.#onBack(),
      },
      options.isPrepared,
    );
  }

  get isAvailable(): boolean {
    return this.#options.guard.isAvailable;
  }

  get isLeader(): boolean {
    return this.#leadership.isLeader;
  }

  watch(onChange: () => void): () => void {
    this.#changeListeners.add(onChange);
    this.#session.start();
    return () => this.#changeListeners.delete(onChange);
  }

  lead(start: Parameters<Nodes['lead']>[0]): () => Promise<void> {
    this.#leadership.want(start);
    this.#session.start();
    return async () => {
      const wasLeader = this.isLeader;
      await this.#leadership.leave();
      if (wasLeader) await this.#session.unlock();
    };
  }

  /** To this node directly, so that it does not depend on the connection. */
  send(message: NodeMessage): void {
    this.#deliver(message);
    sql`select pg_notify(${CHANNEL}, ${JSON.stringify(message)})`
      .execute(this.#options.database)
      // What it was about is found later by a poll.
      .catch(() => undefined);
  }

  onMessage(listener: (message: NodeMessage) => void): () => void {
    this.#messageListeners.add(listener);
    return () => this.#messageListeners.delete(listener);
  }

  whenAvailable(): Promise<void> {
    if (this.isAvailable) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  async close(): Promise<void> {
    await this.#leadership.leave();
    await this.#session.close();
  }

  #onBack(): void {
    this.#options.listener.onBack?.();
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #deliver(message: NodeMessage): void {
    for (const listener of this.#messageListeners) listener(message);
  }
}
