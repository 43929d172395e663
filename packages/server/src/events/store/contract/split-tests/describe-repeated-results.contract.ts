import { DAY_MS } from '@switchyard/core/time';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AcceptedRequest, JournalEntry } from '../../accepted-request.ts';
import type { Subject } from '../../erasure-subject.ts';
import type { EventStore } from '../../event-store.ts';
import type { SplitTestQuery } from '../../split-test-queries.ts';
import { NaiveEventStore } from '../naive-event-store.contract.ts';
import { manyBatches, randomSubject, T0 } from '../random-requests.contract.ts';
import { ordered } from './compare-split-tests.contract.ts';
import { naiveCounts } from './naive-split-test.contract.ts';
import { REPEATED_QUERIES } from './split-test-queries.contract.ts';

interface Suite {
  open: () => Promise<{ store: EventStore; reopen(): Promise<EventStore>; cleanup(): Promise<void> }>;
  randomRuns: number;
}

const SEED = 20_261_117;
const PROPERTY = 'one';

const step = fc.record({
  /** Chooses the journal that sends its next batch. */
  journal: fc.nat(2),
  /** Days by which the times of exposures are moved back, as by clients that were offline. */
  daysLate: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(30) }),
  after: fc.oneof(
    { weight: 9, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.record({ forget: randomSubject }) },
    { weight: 1, arbitrary: fc.record({ expire: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.constant('reopen' as const) },
  ),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** After all events. */
const END = T0 + 10_000 * DAY_MS;

/** The contract for results that are asked for again and again while events arrive. */
export function describeRepeatedResults({ open, randomRuns }: Suite): void {
  test(`repeated results agree with a naive model, on random histories (seed ${SEED})`, async () => {
    const history = fc.record({
      journals: fc.array(manyBatches, { minLength: 1, maxLength: 3 }),
      steps: fc.array(step, { minLength: 10, maxLength: 10 }),
    });
    const random = fc.asyncProperty(history, async ({ journals, steps }) => {
      const opened = await open();
      try {
        const replay = new Replay(opened, journals);
        for (const it of steps) await replay.run(it);
      } finally {
        await opened.cleanup();
      }
    });
    await fc.assert(random, { seed: SEED, numRuns: randomRuns, endOnFailure: true });
  });
}

/** Sends a history to a store and to the naive model, and compares the results after every step. */
class Replay {
  readonly #opened: Awaited<ReturnType<Suite['open']>>;
  readonly #model = new NaiveEventStore();
  readonly #journals: AcceptedRequest[][][];
  readonly #positions: number[];
  #store: EventStore;
  #steps = 0;

  constructor(opened: Awaited<ReturnType<Suite['open']>>, journals: readonly AcceptedRequest[][][]) {
    this.#opened = opened;
    this.#store = opened.store;
    this.#journals = journals.map((batches) => [...batches]);
    this.#positions = journals.map(() => 0);
  }

  async run({ journal, daysLate, after }: Step): Promise<void> {
    await this.#append(journal % this.#journals.length, daysLate);
    await this.#compare();
    if (after === undefined) return;
    if (after === 'reopen') this.#store = await this.#opened.reopen();
    else if ('forget' in after) {
      const subject = { ...after.forget, propertyId: PROPERTY } as Subject;
      expect(await this.#store.forget([subject])).toEqual([{ rows: this.#model.forget(subject) }]);
    } else {
      const before = T0 + after.expire;
      expect(await this.#store.expire(PROPERTY, before)).toEqual({
        rows: this.#model.expire(PROPERTY, before),
      });
    }
    await this.#compare();
  }

  async #append(index: number, daysLate: number): Promise<void> {
    const batch = this.#journals[index]!.shift() ?? [];
    const source = `journal-${index}`;
    const entries = batch.map(
      (request): JournalEntry => ({
        seq: ++this.#positions[index]!,
        request: moved(request, source, daysLate),
      }),
    );
    await this.#store.append(source, entries);
    for (const it of entries) this.#model.append(it, source);
  }

  async #compare(): Promise<void> {
    const facts = this.#model.facts(PROPERTY);
    // The last day moves, as it does at midnight.
    const to = T0 - (T0 % DAY_MS) + Math.floor(this.#steps++ / 4) * DAY_MS;
    for (const [index, { by: _, ...options }] of REPEATED_QUERIES.entries()) {
      const query: SplitTestQuery = {
        ...options,
        propertyId: PROPERTY,
        splitTestKey: 'hero',
        // The first one ends before some of the conversions.
        ...(index > 0 && { until: END, days: { ...options.days, from: to - 9 * DAY_MS, to } }),
      };
      // Also while it runs, and with nothing new since.
      const ahead = this.#steps % 3 === 0 ? this.#store.countAhead(query) : undefined;
      if (this.#steps % 2 === 0) await ahead;
      const counts = ordered(await this.#store.splitTestCounts(query));
      await ahead;
      expect(counts).toEqual(ordered(naiveCounts(facts, query)));
    }
  }
}

/** Feedback of several journals needs different ids. */
function moved(request: AcceptedRequest, source: string, daysLate: number): AcceptedRequest {
  if (request.kind === 'feedback') return { ...request, id: `${source}-${request.id}` };
  if (request.kind !== 'exposures') return request;
  const exposures = request.exposures.map((it) => ({ ...it, at: it.at - daysLate * DAY_MS }));
  return { ...request, exposures };
}
