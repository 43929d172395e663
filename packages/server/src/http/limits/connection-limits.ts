import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import { isIdle, type OpenConnection, OpenConnections } from './open-connections.ts';

/** Limits per connection and for all connections together. */
export interface ConnectionLimits {
  /** Disconnects clients that send their request too slowly. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Interval of the checks for slow requests and unread responses. */
  readonly checkIntervalMs: number;
  /** Longer than the idle timeout of common proxies, so that the proxy closes first. */
  readonly keepAliveTimeoutMs: number;
  /** Disconnects clients that read nothing of their response for this long, at most twice as long. */
  readonly stalledTimeoutMs: number;
  /** How long a client can read the error response to a malformed request. */
  readonly lingerMs: number;
  /** Max unread bytes of large responses over all connections. */
  readonly maxUnsentBytes: number;
  readonly maxConnections: number;
  /** Max connections of one address (IPv6: /64), unless it is a trusted proxy. */
  readonly maxPerAddress: number;
  /** When half of the connections are taken, idle ones are closed after this long instead of `keepAliveTimeoutMs`. */
  readonly crowdedIdleMs: number;
}

const MEBIBYTE = 2 ** 20;
/** Kept for data files and the temporary files of reports; without a descriptor, journal writes fail. */
const RESERVED_DESCRIPTORS = 128;

const MAX_CONNECTIONS = Math.min(16_384, connectionsWithin(openFilesLimit()));

const CONNECTION_LIMITS: ConnectionLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  checkIntervalMs: 2000,
  keepAliveTimeoutMs: 72_000,
  stalledTimeoutMs: 15_000,
  lingerMs: 2000,
  maxUnsentBytes: Math.min(128 * MEBIBYTE, getHeapStatistics().heap_size_limit / 16),
  maxConnections: MAX_CONNECTIONS,
  maxPerAddress: Math.ceil(MAX_CONNECTIONS / 8),
  crowdedIdleMs: 5000,
};

/** For one of several processes that serve together: what is for all connections together is divided. */
export function connectionLimits(processes: number): ConnectionLimits {
  return {
    ...CONNECTION_LIMITS,
    maxUnsentBytes: CONNECTION_LIMITS.maxUnsentBytes / processes,
    maxConnections: Math.ceil(CONNECTION_LIMITS.maxConnections / processes),
    maxPerAddress: Math.ceil(CONNECTION_LIMITS.maxPerAddress / processes),
  };
}

function connectionsWithin(descriptors: number): number {
  return Math.max(descriptors - RESERVED_DESCRIPTORS, Math.floor(descriptors / 2));
}

/** Node.js has no API for this limit; on systems without /proc it is rarely low. */
function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(soft ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Closes connections whose clients do not read, and those that are idle when there are many. Rejects connections beyond
 * the maximum, of one address and of all.
 */
export function limitConnections(
  app: FastifyInstance,
  connections: OpenConnections,
  limits: ConnectionLimits,
): void {
  const { maxConnections, maxPerAddress, stalledTimeoutMs, checkIntervalMs } = limits;
  app.server.maxConnections = maxConnections;
  app.server.on('connection', (socket: Socket) => {
    const network = OpenConnections.of(socket)?.network;
    if (network === undefined) return;
    const others = connections.inNetwork(network);
    if (others.size <= maxPerAddress) return;
    // The oldest one is idle in nearly all cases.
    const idle = first(others, (other) => other.socket !== socket && isIdle(other));
    (idle?.socket ?? socket).destroy();
  });
  const check = setInterval(() => {
    watchOutput(connections, stalledTimeoutMs);
    closeIdle(connections, limits, performance.now());
  }, checkIntervalMs).unref();
  // Emitted after inactivity; between two requests Node.js sets the keep-alive timeout instead.
  app.server.on('timeout', (socket: Socket) => {
    const isWaitingForServer = socket.timeout === stalledTimeoutMs && socket.writableLength === 0;
    if (!isWaitingForServer) socket.destroy();
  });
  app.addHook('onClose', async () => clearInterval(check));
}

/** Only for sockets with unsent output: a timer per request would slow down every request. */
function watchOutput(connections: OpenConnections, stalledTimeoutMs: number): void {
  for (const { socket } of connections) {
    if (socket.writableLength > 0 && socket.timeout !== stalledTimeoutMs) socket.setTimeout(stalledTimeoutMs);
  }
}

/** Closes those that have been idle longest, until half of the connections are free. */
function closeIdle(
  connections: OpenConnections,
  { maxConnections, crowdedIdleMs }: ConnectionLimits,
  now: number,
): void {
  let excess = connections.size - Math.floor(maxConnections / 2);
  if (excess <= 0) return;
  const idle: OpenConnection[] = [];
  for (const connection of connections) {
    const { bytesRead } = connection.socket;
    if (bytesRead !== connection.bytesRead || !isIdle(connection)) {
      connection.bytesRead = bytesRead;
      connection.lastReadAt = now;
    } else if (connection.network !== undefined && now - connection.lastReadAt >= crowdedIdleMs) {
      idle.push(connection);
    }
  }
  idle.sort((a, b) => a.lastReadAt - b.lastReadAt);
  for (const { socket } of idle) {
    if (excess-- <= 0) return;
    socket.destroy();
  }
}

function first<T>(items: Iterable<T>, matches: (item: T) => boolean): T | undefined {
  for (const item of items) if (matches(item)) return item;
  return undefined;
}
