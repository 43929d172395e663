import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { AcceptedRequest, JournalEntry } from '../accepted-request.ts';
import type { Subject } from '../erasure-subject.ts';
import { randomBatches, randomSubject } from './random-requests.contract.ts';

/** In the order of their names, which is not the order in which they arrive. */
export const SOURCES = ['a', 'b', 'c'] as const;

interface Arrival {
  source: string;
  entries: JournalEntry[];
  /** How many of the earlier entries of the source arrive again with these. */
  repeated: number;
}

export interface History {
  arrivals: Arrival[];
  subjects: Subject[];
  /** Events of the property `one` before this time expire. */
  expiry: number;
  /** Chooses among the options of questions. */
  choice: number;
}

const arrival = fc.record({
  source: fc.nat(SOURCES.length - 1),
  repeated: fc.nat(5),
  copies: fc.array(fc.record({ of: fc.nat(), delay: fc.integer({ min: 1, max: 40 }) }), { maxLength: 3 }),
});

/** What three journals send: each in order, but interleaved, some of it twice, and with copies of requests of others. */
export const randomHistory: fc.Arbitrary<History> = fc
  .record({
    journals: fc.tuple(randomBatches, randomBatches, randomBatches),
    arrivals: fc.array(arrival, { minLength: 40, maxLength: 40 }),
    subjects: fc.array(fc.tuple(fc.constantFrom('one', 'two'), randomSubject), {
      minLength: 1,
      maxLength: 2,
    }),
    age: fc.nat(120),
    choice: fc.nat(1000),
  })
  .map(({ journals, arrivals, subjects, age, choice }) => {
    const arriving = new Arriving(journals);
    for (const it of arrivals) arriving.add(it);
    return {
      arrivals: arriving.all,
      choice,
      expiry: arriving.expiry(age),
      subjects: subjects.map(([propertyId, subject]) => ({ ...subject, propertyId }) as Subject),
    };
  });

type RandomArrival = typeof arrival extends fc.Arbitrary<infer Value> ? Value : never;
type Identified = Extract<AcceptedRequest, { kind: 'conversion' | 'feedback' }>;

class Arriving {
  readonly all: Arrival[] = [];
  readonly #waiting: AcceptedRequest[][][];
  readonly #positions = SOURCES.map(() => 0);
  readonly #originals: { request: Identified; sources: Set<number> }[] = [];
  readonly #copies: { original: number; copy: number }[] = [];

  constructor(journals: readonly AcceptedRequest[][][]) {
    this.#waiting = journals.map((batches, source) =>
      batches.map((batch) => batch.map((it) => withId(it, SOURCES[source]!))),
    );
  }

  /** Does nothing if the source has sent everything. */
  add({ source, repeated, copies }: RandomArrival): void {
    const batch = this.#waiting[source]!.shift();
    if (batch === undefined) return;
    const requests = [...batch, ...copies.flatMap((it) => this.#copy(source, it.of, it.delay))];
    for (const request of batch) {
      const hasId = request.kind === 'feedback' || (request.kind === 'conversion' && request.eventId);
      if (hasId) this.#originals.push({ request: request as Identified, sources: new Set([source]) });
    }
    const entries = requests.map((request) => ({ seq: ++this.#positions[source]!, request }));
    this.all.push({ source: SOURCES[source]!, entries, repeated });
  }

  /**
   * The request arrives after the original and was received later: which of the two is kept otherwise depends on the
   * engine.
   */
  #copy(source: number, index: number, delay: number): AcceptedRequest[] {
    const ofOthers = this.#originals.filter(({ sources }) => !sources.has(source));
    const original = ofOthers[index % ofOthers.length];
    if (original === undefined) return [];
    original.sources.add(source);
    const { receivedAt } = original.request;
    this.#copies.push({ original: receivedAt, copy: receivedAt + delay });
    return [{ ...original.request, receivedAt: receivedAt + delay }];
  }

  /** Not between the times of an original and its copy: the copy may then count until it expires too. */
  expiry(age: number): number {
    const times = this.all.flatMap(({ entries }) => entries.map(({ request }) => request.receivedAt));
    let expiry = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]! - age;
    for (const it of this.#copies.toSorted((a, b) => b.copy - a.copy)) {
      if (it.original < expiry && it.copy >= expiry) expiry = it.original;
    }
    return expiry;
  }
}

/** Feedback gets an id that no other source uses, every other conversion an event id. */
function withId(request: AcceptedRequest, source: string): AcceptedRequest {
  if (request.kind === 'feedback') return { ...request, id: `${source}-${request.id}` };
  if (request.kind !== 'conversion' || request.amountMicros % 2 !== 0) return request;
  const digest = createHash('sha256')
    .update(JSON.stringify([source, request]))
    .digest('hex');
  return { ...request, eventId: digest.slice(0, 32) };
}
