import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance } from 'fastify';

/** What one connection, and all of them together, may take. */
export interface ConnectionLimits {
  /** A client that sends its request byte by byte is cut off. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often those two are checked. */
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

/** Closes connections on which nothing moves, in either direction, unless the client is waiting for us. */
export function limitConnections({ server }: FastifyInstance, limits: ConnectionLimits): void {
  server.maxConnections = limits.maxConnections;
  // Node.js measures this timeout from the last byte that moved; between requests another one is in force.
  server.timeout = limits.stalledTimeoutMs;
  server.on('timeout', (socket: Socket) => {
    const isWaitingForUs = socket.timeout === limits.stalledTimeoutMs && socket.writableLength === 0;
    if (!isWaitingForUs) socket.destroy();
  });
}
