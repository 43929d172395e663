import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance } from 'fastify';

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
}

const MEBIBYTE = 2 ** 20;
/** Kept for data files and the temporary files of reports; without a descriptor, journal writes fail. */
const RESERVED_DESCRIPTORS = 128;

const CONNECTION_LIMITS: ConnectionLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  checkIntervalMs: 2000,
  keepAliveTimeoutMs: 72_000,
  stalledTimeoutMs: 15_000,
  lingerMs: 2000,
  maxUnsentBytes: Math.min(128 * MEBIBYTE, getHeapStatistics().heap_size_limit / 16),
  maxConnections: Math.min(16_384, connectionsWithin(openFilesLimit())),
};

/** For one of several processes that serve together: what is for all connections together is divided. */
export function connectionLimits(processes: number): ConnectionLimits {
  return {
    ...CONNECTION_LIMITS,
    maxUnsentBytes: CONNECTION_LIMITS.maxUnsentBytes / processes,
    maxConnections: Math.ceil(CONNECTION_LIMITS.maxConnections / processes),
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

/** The open connections of a server. */
export function openSockets({ server }: FastifyInstance): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** Closes connections whose clients do not read, and rejects connections beyond the maximum. */
export function limitConnections(
  app: FastifyInstance,
  sockets: ReadonlySet<Socket>,
  { maxConnections, stalledTimeoutMs, checkIntervalMs }: ConnectionLimits,
): void {
  app.server.maxConnections = maxConnections;
  // Only for sockets with unsent output: a timer per request would slow down every request.
  const watch = setInterval(() => {
    for (const socket of sockets) {
      if (socket.writableLength > 0 && socket.timeout !== stalledTimeoutMs)
        socket.setTimeout(stalledTimeoutMs);
    }
  }, checkIntervalMs).unref();
  // Emitted after inactivity; between two requests Node.js sets the keep-alive timeout instead.
  app.server.on('timeout', (socket: Socket) => {
    const isWaitingForServer = socket.timeout === stalledTimeoutMs && socket.writableLength === 0;
    if (!isWaitingForServer) socket.destroy();
  });
  app.addHook('onClose', async () => clearInterval(watch));
}
