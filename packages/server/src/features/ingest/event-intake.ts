import { createHash } from 'node:crypto';
import type { PageQuery } from '@switchyard/core/api/common';
import type { IdempotencyMark } from '../../events/intake/journal/marks/mark.ts';
import type { AcceptedRequest } from '../../events/store/accepted-request.ts';
import type { JournalClient } from '../../events/thread/journal-client.ts';
import type { HotRequest } from '../../http/contract/hot-route.ts';
import type { EventKind, Metrics } from '../../http/monitoring/metrics.ts';
import type { Recorded } from '../../http/pipeline/record-events.ts';
import { ApiError } from '../../platform/errors/errors.ts';

/** Removes from a request what must not be stored; returns how many events these were. */
type Suppress = (accepted: AcceptedRequest) => number | 'all';

/** All events enter here: they are written to disk, counted, and only then acknowledged. */
export class EventIntake {
  readonly #journal: JournalClient;
  readonly #metrics: Metrics;
  readonly #suppress: Suppress;

  constructor(journal: JournalClient, metrics: Metrics, suppress: Suppress) {
    this.#journal = journal;
    this.#metrics = metrics;
    this.#suppress = suppress;
  }

  /** Honours `Idempotency-Key`: a repeated request is acknowledged again, but not stored again. */
  async record(request: HotRequest, accepted: AcceptedRequest, second?: AcceptedRequest): Promise<Recorded> {
    // The second part is of the same session, so it is suppressed with the first.
    const suppressed = this.#suppress(accepted);
    if (suppressed === 'all') {
      for (const part of second === undefined ? [accepted] : [accepted, second]) {
        this.#metrics.dropped('suppressed', eventsIn(part)[1]);
      }
      return 'suppressed';
    }
    if (suppressed > 0) this.#metrics.dropped('suppressed', suppressed);
    const mark = idempotencyMark(request);
    const identified = mark === undefined ? accepted : withEventId(accepted, eventIdOf(mark));
    const outcome = await this.#journal.accept(identified, mark, second);
    if (outcome === 'reused') throw new ApiError('idempotency_key_reused');
    this.#count(accepted, outcome);
    if (second !== undefined) this.#count(second, outcome);
    return outcome;
  }

  #count(accepted: AcceptedRequest, outcome: 'stored' | 'replayed'): void {
    const [kind, count] = eventsIn(accepted);
    if (outcome === 'stored') this.#metrics.accepted(kind, count);
    else this.#metrics.dropped('idempotent_replay', count);
  }
}

function eventsIn(accepted: AcceptedRequest): [EventKind, number] {
  switch (accepted.kind) {
    case 'exposures':
      return ['exposure', accepted.exposures.length];
    case 'collect':
      return ['session_event', accepted.events.length];
    default:
      return [accepted.kind, 1];
  }
}

function idempotencyMark(request: HotRequest): IdempotencyMark | undefined {
  const key = idempotencyKeyOf(request);
  if (key === undefined) return undefined;
  const fingerprint = createHash('sha256')
    .update(request.url.split('?', 1)[0]!)
    .update(canonicalJson(request.body))
    .digest('base64url');
  const { propertyId, kind } = request.apiKey;
  // Separate per kind, because anyone can get the public key and could block the idempotency keys of a backend.
  return { key: `${propertyId}/${kind}/${key}`, fingerprint };
}

/** Pages cannot send the header without a preflight. */
function idempotencyKeyOf({ headers, apiKey, query }: HotRequest): string | undefined {
  const header = headers['idempotency-key'] as string | undefined;
  if (header !== undefined || apiKey.kind !== 'public') return header;
  return (query as PageQuery).idempotencyKey;
}

/** The same on every node: the event store counts events with the same id once. */
function eventIdOf({ key, fingerprint }: IdempotencyMark): string {
  return createHash('sha256').update(key).update('\0').update(fingerprint).digest('hex').slice(0, 32);
}

function withEventId(accepted: AcceptedRequest, eventId: string): AcceptedRequest {
  if (accepted.kind === 'conversion') return { ...accepted, eventId };
  return accepted.kind === 'feedback' ? { ...accepted, id: feedbackIdOf(eventId) } : accepted;
}

/** As long as a random one. */
const feedbackIdOf = (eventId: string) =>
  `fbk_${Buffer.from(eventId.slice(0, 24), 'hex').toString('base64url')}`;

/** Independent of the order of members. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
