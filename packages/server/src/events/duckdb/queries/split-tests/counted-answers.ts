import { LRUCache } from 'lru-cache';
import type { Positions } from '../../../store/event-store.ts';
import type { ExposureCounts } from './exposure-counts.ts';
import type { EarlierGroups } from './group-rows.ts';

/** Max rows of all answers together; a row takes about half a kilobyte. */
const MAX_ROWS = 20_000;
/** Max characters of the queries of all answers together, counted as rows. */
const CHARACTERS_PER_ROW = 500;

/** The sums of an answer, from which the next answer to the same query starts. */
export interface KeptAnswer extends EarlierGroups {
  propertyId: string;
  /** No earlier event was counted. */
  countedSince: number;
  exposures: ExposureCounts;
  /** Visitors first exposed before this time were counted as early. */
  earlyUntil: number;
}

/** The answers that a query may use; its snapshot must be taken after the view. */
export interface AnswerView {
  /** @param positions of the snapshot */
  get(query: string, positions: Positions): KeptAnswer | undefined;
  set(query: string, answer: KeptAnswer): void;
}

/**
 * The sums of recent answers, in memory; `saved-answers.ts` keeps them for the next start. They hold as long as none of
 * the rows that they counted is deleted: an erasure drops all of them, and none is used while it runs; expired events
 * drop those that may have counted them.
 */
export class CountedAnswers {
  readonly #answers = new LRUCache<string, KeptAnswer>({
    maxSize: MAX_ROWS,
    sizeCalculation: ({ rows, exposures }, query) =>
      1 + rows.size + exposures.counts.length + Math.ceil(query.length / CHARACTERS_PER_ROW),
  });
  readonly #unsaved = new Set<string>();
  #erasures = 0;
  #isErasing = false;
  /** By property: earlier events were deleted. */
  readonly #expired = new Map<string, number>();

  view(): AnswerView {
    const erasures = this.#erasures;
    // If rows were deleted since, the snapshot may be from before or after.
    const isValid = (answer: KeptAnswer) =>
      erasures === this.#erasures && !this.#isErasing && !this.#isExpired(answer);
    return {
      get: (query, positions) => {
        const answer = this.#answers.get(query);
        // A concurrent query may have taken a later snapshot.
        return answer && isValid(answer) && isReached(answer.positions, positions) ? answer : undefined;
      },
      set: (query, answer) => {
        if (!isValid(answer)) return;
        this.#answers.set(query, answer);
        this.#unsaved.add(query);
      },
    };
  }

  /** The answers since the last call. They hold until more rows are deleted. */
  takeUnsaved(): [query: string, KeptAnswer][] {
    const answers = [...this.#unsaved].flatMap((query): [string, KeptAnswer][] => {
      const answer = this.#answers.peek(query);
      return answer && !this.#isExpired(answer) ? [[query, answer]] : [];
    });
    this.#unsaved.clear();
    return answers;
  }

  /** Runs work that deletes any rows; erasures run one at a time. */
  async whileErasing<T>(work: () => Promise<T>): Promise<T> {
    this.#isErasing = true;
    this.#erasures++;
    this.#answers.clear();
    try {
      return await work();
    } finally {
      this.#erasures++;
      this.#isErasing = false;
    }
  }

  /** Call it before the events of a property before this time are deleted. */
  expire(propertyId: string, before: number): void {
    this.#expired.set(propertyId, Math.max(before, this.#expired.get(propertyId) ?? before));
  }

  #isExpired({ propertyId, countedSince }: KeptAnswer): boolean {
    return countedSince < (this.#expired.get(propertyId) ?? Number.NEGATIVE_INFINITY);
  }
}

const isReached = (earlier: Positions, positions: Positions) =>
  Object.entries(earlier).every(([source, position]) => (positions[source] ?? 0) >= position);
