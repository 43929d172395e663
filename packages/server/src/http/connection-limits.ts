import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance } from 'fastify';

/** What one connection, and all of them together, may take. */
export interface ConnectionLimits {
  /** A client that sends its request byte by byte is cut off. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often connections are checked for these, and for responses that are not read. */
  readonly checkIntervalMs: number;
  /** Longer than proxies keep their idle connections, so that it is them who close. */
  readonly keepAliveTimeoutMs: number;
  /** A client that reads nothing of its response for this long, or up to twice as long, is cut off. */
  readonly stalledTimeoutMs: number;
  /** How long a client has to read why its request was refused. */
  readonly lingerMs: number;
  /** Bytes of large responses that clients have not read yet, over all connections. */
  readonly maxUnsentBytes: number;
  readonly maxConnections: number;
}

const MEBIBYTE = 2 ** 20;
/** Data files, and what reports spill to disk, need descriptors too; without one the journal cannot be written. */
const RESERVED_DESCRIPTORS = 128;

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  checkIntervalMs: 2000,
  keepAliveTimeoutMs: 72_000,
  stalledTimeoutMs: 15_000,
  lingerMs: 2000,
  maxUnsentBytes: Math.min(128 * MEBIBYTE, getHeapStatistics().heap_size_limit / 16),
  maxConnections: Math.min(16_384, connectionsWithin(openFilesLimit())),
};

function connectionsWithin(descriptors: number): number {
  return Math.max(descriptors - RESERVED_DESCRIPTORS, Math.floor(descriptors / 2));
}

/** Node.js has no call for it; where there is no /proc, the limit is rarely low. */
function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(soft ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The open connections of a server. */
export function openSockets({ server }: FastifyInstance): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** Closes connections whose clients do not read, and refuses those beyond the maximum. */
export function limitConnections(
  app: FastifyInstance,
  sockets: ReadonlySet<Socket>,
  { maxConnections, stalledTimeoutMs, checkIntervalMs }: ConnectionLimits,
): void {
  app.server.maxConnections = maxConnections;
  // Only for those that have something to read: a timer for every request would be felt.
  const watch = setInterval(() => {
    for (const socket of sockets) {
      if (socket.writableLength > 0 && socket.timeout !== stalledTimeoutMs)
        socket.setTimeout(stalledTimeoutMs);
    }
  }, checkIntervalMs).unref();
  // Node.js emits it when nothing has moved for as long; between two requests another timeout is in force.
  app.server.on('timeout', (socket: Socket) => {
    const isWaitingForUs = socket.timeout === stalledTimeoutMs && socket.writableLength === 0;
    if (!isWaitingForUs) socket.destroy();
  });
  app.addHook('onClose', async () => clearInterval(watch));
}
