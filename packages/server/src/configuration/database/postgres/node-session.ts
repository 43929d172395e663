import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Notification } from 'pg';
import type { NodeMessage } from '../nodes.ts';
import { type ConnectionGuard, disconnect, isConnectionError } from './connection-guard.ts';
import type { Leadership } from './leadership.ts';
import { readOnly } from './server-client.ts';

/** Also finds changes whose notification was lost, so it has to be well below a second. */
const POLL_MS = 500;
/** A server that takes this long, several times in a row, would make requests too slow. */
const SLOW = { ms: 1000, times: 3 };
const RECONNECT_MS = { first: 100, max: 2000 };
/** With these, the server ends the connection of a node that vanished, and its lock, within about 10 seconds. */
const KEEP_ALIVE =
  'set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3';
export const CHANNEL = 'switchyard';
/** What the trigger on `properties` sends. */
const CONFIGURATION_CHANGED = 'configuration';
/** Any numbers, the same in all versions. */
const LEADER_LOCK = '1937206899, 1';

const VERSIONS = `select md5(coalesce(string_agg(id || ':' || version || ':' || created_at, ',' order by id), '')) as versions`;
const WRITABLE = `current_setting('transaction_read_only') = 'off' as "isWritable"`;
const POLL = `${VERSIONS}, ${WRITABLE}, false as "isLeader" from properties`;
const POLL_FOR_LEADER = `select *, pg_try_advisory_lock(${LEADER_LOCK}) as "isLeader" from (${VERSIONS}, ${WRITABLE} from properties) as polled`;

interface Polled {
  versions: string;
  isWritable: boolean;
  isLeader: boolean;
}

export interface NodeSessionOptions {
  /** A new client, not connected yet. */
  createClient: () => Client;
  /** Migrates the database; called at each connection until it succeeds. */
  prepare: () => Promise<void>;
  guard: ConnectionGuard;
  leadership: Leadership;
  /** The configuration may have changed. */
  onChange: () => void;
  onMessage: (message: NodeMessage) => void;
  /** Called once per outage, and after it. */
  onUnavailable: (error: unknown) => void;
  onBack: () => void;
}

/**
 * The connection of a node on which it hears of changes, holds the lock of the leader, and notices whether the server is
 * there. Connects again after it is lost.
 */
export class NodeSession {
  readonly #options: NodeSessionOptions;
  readonly #stopping = new AbortController();
  #isPrepared: boolean;
  #running: Promise<void> | undefined;
  #client: Client | undefined;
  #versions: string | undefined;
  #reported: string | undefined;
  #wake: () => void = () => {};

  /** @param isPrepared whether the database has been migrated */
  constructor(options: NodeSessionOptions, isPrepared: boolean) {
    this.#options = options;
    this.#isPrepared = isPrepared;
    options.guard.onFailure = () => this.#wake();
  }

  /** Starts once; later calls do nothing. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Leaves the lock to another node. */
  async unlock(): Promise<void> {
    await this.#client?.query(`select pg_advisory_unlock(${LEADER_LOCK})`).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    let delay = RECONNECT_MS.first;
    while (!this.#stopping.signal.aborted) {
      let client: Client | undefined;
      try {
        // Reads files with certificates, which may be missing.
        client = this.#options.createClient();
        await this.#connect(client);
        delay = RECONNECT_MS.first;
        await this.#stayConnected(client);
      } catch (error) {
        // A connection may end although the server is there: unavailable is a server that cannot be connected to.
        if (error instanceof ConnectionClosed) delay = 0;
        else this.#lose(error);
      } finally {
        this.#client = undefined;
        this.#options.leadership.lost();
        if (client !== undefined) disconnect(client);
      }
      await this.#pause(delay);
      delay = Math.max(RECONNECT_MS.first, Math.min(delay * 2, RECONNECT_MS.max));
    }
  }

  async #connect(client: Client): Promise<void> {
    await client.connect();
    if (!this.#isPrepared) await this.#options.prepare();
    this.#isPrepared = true;
    client.on('notification', (notification) => this.#receive(notification));
    await client.query(KEEP_ALIVE);
    await client.query(`listen ${CHANNEL}`);
    this.#client = client;
    if (!this.#options.guard.isAvailable) {
      this.#options.guard.setAvailable();
      this.#options.onBack();
    }
    // Changes and messages may have been missed.
    this.#versions = undefined;
    this.#options.onMessage({ type: 'erased' });
    this.#options.onMessage({ type: 'access-changed' });
  }

  /** Returns when the session is closed; throws when the connection is lost. */
  async #stayConnected(client: Client): Promise<void> {
    const lost = new Promise<never>((_resolve, reject) => {
      client.once('error', () => reject(new ConnectionClosed()));
      client.once('end', () => reject(new ConnectionClosed()));
    });
    // Handled by the races below.
    lost.catch(() => undefined);
    let slow = 0;
    while (!this.#stopping.signal.aborted) {
      const startedAt = performance.now();
      await Promise.race([this.#poll(client), lost]);
      const isSlow = performance.now() - startedAt >= SLOW.ms;
      slow = isSlow ? slow + 1 : 0;
      if (slow >= SLOW.times) throw new Error('the server responds too slowly');
      await Promise.race([this.#pause(POLL_MS), lost]);
    }
  }

  async #poll(client: Client): Promise<void> {
    const { leadership, onChange } = this.#options;
    const statement = leadership.isWanted ? POLL_FOR_LEADER : POLL;
    const { rows } = await client.query<Polled>(statement);
    const { versions, isWritable, isLeader } = rows[0]!;
    // After a failover the server may go on as a standby, which answers all reads.
    if (!isWritable) throw readOnly(client.host);
    if (versions !== this.#versions) {
      this.#versions = versions;
      onChange();
    }
    if (!isLeader) return;
    if (leadership.isWanted) leadership.won();
    // It was left in the meantime.
    else await this.unlock();
  }

  #receive({ payload = '' }: Notification): void {
    const message = parseMessage(payload);
    if (payload === CONFIGURATION_CHANGED) this.#options.onChange();
    else if (message !== undefined) this.#options.onMessage(message);
  }

  #lose(error: unknown): void {
    const { guard, onUnavailable } = this.#options;
    if (this.#stopping.signal.aborted) return;
    // For example a database that a newer version has migrated: a reason of its own, to be reported once.
    const isOther = !isConnectionError(error) && String(error) !== this.#reported;
    const isNew = guard.isAvailable || isOther;
    if (isOther) this.#reported = String(error);
    guard.setUnavailable(error);
    if (isNew) onUnavailable(error);
  }

  /** Ends early when the session is closed, or when a statement has found its connection broken. */
  async #pause(ms: number): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    if (this.#stopping.signal.aborted) return;
    await sleep(ms, undefined, { signal: woken.signal, ref: false }).catch(() => undefined);
  }
}

const MESSAGES: readonly NodeMessage['type'][] = ['erased', 'access-changed', 'send-webhooks'];

/** Undefined if no node has sent it: everyone who may connect to the database can send anything. */
function parseMessage(payload: string): NodeMessage | undefined {
  try {
    const message = JSON.parse(payload) as NodeMessage | null;
    return MESSAGES.some((type) => type === message?.type) ? message! : undefined;
  } catch {
    return undefined;
  }
}

class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed';
}
