import { createHash } from 'node:crypto';
import type { PageQuery } from '@switchyard/core/api/common';
import { UNIT_PREFIX } from '@switchyard/core/evaluation/exposed-unit';
import type { IdempotencyMark } from '../../events/intake/journal/marks/mark.ts';
import type {
  AcceptedCollect,
  AcceptedExposures,
  AcceptedRequest,
} from '../../events/store/accepted-request.ts';
import type { JournalClient } from '../../events/thread/journal-client.ts';
import type { HotRequest } from '../../http/contract/hot-route.ts';
import type { EventKind, Metrics } from '../../http/monitoring/metrics.ts';
import type { Recorded } from '../../http/pipeline/record-events.ts';
import { ApiError, invalidField } from '../../platform/errors/errors.ts';

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
    refuseReserved(accepted);
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

  /**
   * Exposures that come with the visitors of their sessions, in collects without events. Resolves once all is stored.
   *
   * @param reportId a report that is sent again counts once
   */
  async recordExposures(
    accepted: AcceptedExposures,
    visitors: readonly AcceptedCollect[],
    reportId?: string,
  ): Promise<void> {
    const named = visitors.filter((collect) => {
      const { userId, visitorId } = collect;
      if (this.#suppress(collect) === 'all') return false;
      // A visitor that was made of an erased user would be a trace of that user.
      const isErased = userId !== undefined && collect.userId === undefined;
      return !(isErased && visitorId.startsWith(UNIT_PREFIX));
    });
    // The list cannot add the sessions of any number of visitors.
    const erased = new Set(visitors.filter((collect) => !named.includes(collect)).map((it) => it.sessionId));
    const given = accepted.exposures.length;
    const kept = { ...accepted, exposures: accepted.exposures.filter((it) => !erased.has(it.sessionId)) };
    const isEmpty = kept.exposures.length === 0 || this.#suppress(kept) === 'all';
    const count = isEmpty ? 0 : kept.exposures.length;
    if (count < given) this.#metrics.dropped('suppressed', given - count);
    if (isEmpty) return;
    const mark = reportId === undefined ? undefined : markOf(accepted.propertyId, 'usage', reportId);
    // An evaluation has one visitor, who is stored with it or not at all.
    const [first, ...others] = named;
    const [outcome] = await Promise.all([
      this.#journal.accept(kept, mark, first),
      ...others.map((collect) => this.#journal.accept(collect)),
    ]);
    if (outcome !== 'reused') this.#count(kept, outcome);
  }

  #count(accepted: AcceptedRequest, outcome: 'stored' | 'replayed'): void {
    const [kind, count] = eventsIn(accepted);
    if (outcome === 'stored') this.#metrics.accepted(kind, count);
    else this.#metrics.dropped('idempotent_replay', count);
  }
}

/** Only the service itself makes up sessions and visitors; anybody else could take those of others away. */
function refuseReserved(accepted: AcceptedRequest): void {
  const refuse = (pointer: string, id: string | undefined) => {
    if (id?.startsWith(UNIT_PREFIX)) throw invalidField(pointer, `must not begin with ${UNIT_PREFIX}`);
  };
  if (accepted.kind === 'exposures') {
    for (const [index, { sessionId }] of accepted.exposures.entries()) {
      refuse(`/exposures/${index}/sessionId`, sessionId);
    }
    return;
  }
  refuse('/sessionId', accepted.sessionId);
  if (accepted.kind === 'collect') refuse('/visitorId', accepted.visitorId);
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

/** Of something that was given an id by its sender, which never has other contents. */
const markOf = (propertyId: string, kind: 'usage', id: string): IdempotencyMark => ({
  key: `${propertyId}/${kind}/${id}`,
  fingerprint: '',
});

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
