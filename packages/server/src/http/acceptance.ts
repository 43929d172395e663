import { createHash } from 'node:crypto';
import { SuccessText } from '@switchyard/core/api/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import type { AcceptedRequest } from '../storage/accepted-request.ts';
import type { EventLog } from '../storage/event-log.ts';
import type { IdempotencyMark, WriteOutcome } from '../storage/journal.ts';
import type { EventKind, Metrics } from './metrics.ts';

/** A clock further ahead than this is wrong, not early. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

/** The time of an event by the client's clock, unless it has none or an implausible one. */
export function eventTime(timestamp: number | undefined, receivedAt: number): number {
  if (timestamp === undefined || timestamp > receivedAt + MAX_AHEAD_MS) return receivedAt;
  return Math.round(timestamp);
}

/** The one way in for events: on disk first, counted then, and only then answered. */
export class Acceptance {
  readonly #log: EventLog;
  readonly #metrics: Metrics;

  constructor(log: EventLog, metrics: Metrics) {
    this.#log = log;
    this.#metrics = metrics;
  }

  /** Honours `Idempotency-Key`: the same request again is answered again, but stored once. */
  async store(
    request: FastifyRequest,
    accepted: AcceptedRequest,
    kind: EventKind,
    count: number,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const outcome = await this.#log.accept(accepted, idempotencyMark(request));
    this.#count(outcome, kind, count);
    return reply.type('application/json; charset=utf-8').send(SuccessText);
  }

  #count(outcome: WriteOutcome, kind: EventKind, count: number): void {
    if (outcome === 'reused') throw new ApiError('idempotency_key_reused');
    if (outcome === 'stored') this.#metrics.accepted(kind, count);
    else this.#metrics.dropped('idempotent_replay', count);
  }
}

function idempotencyMark(request: FastifyRequest): IdempotencyMark | undefined {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string') return undefined;
  const fingerprint = createHash('sha256')
    .update(request.url.split('?', 1)[0]!)
    .update(canonicalJson(request.body))
    .digest('base64url');
  const { propertyId, kind } = request.apiKey;
  // Anybody can have the public key: with it nobody may use up the keys of a backend.
  return { key: `${propertyId}/${kind}/${key}`, fingerprint };
}

/** The same for the same content, in whatever order a serializer wrote the members. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
