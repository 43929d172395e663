import { LRUCache } from 'lru-cache';
import type { Positions } from '../../event-store.ts';
import type { ExposureCounts } from './split-test-counts.ts';
import type { EarlierGroups } from './split-test-groups.ts';

/** Max rows of all answers together; a row takes about half a kilobyte. */
const MAX_ROWS = 20_000;
/** Max characters of the queries of all answers together, counted as rows. */
const CHARACTERS_PER_ROW = 500;

/** The sums of an answer, from which the next answer to the same query starts. */
export interface KeptAnswer extends EarlierGroups {
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
 * The sums of recent answers, in memory only. They hold as long as rows are only added, so deleting rows drops them,
 * and they are not used while that runs.
 */
export class CountedAnswers {
  readonly #answers = new LRUCache<string, KeptAnswer>({
    maxSize: MAX_ROWS,
    sizeCalculation: ({ rows, exposures }, query) =>
      1 + rows.size + exposures.counts.length + Math.ceil(query.length / CHARACTERS_PER_ROW),
  });
  #deletions = 0;
  #isDeleting = false;

  view(): AnswerView {
    const deletions = this.#deletions;
    // If rows were deleted since, the snapshot may be from before or after.
    const isValid = () => deletions === this.#deletions && !this.#isDeleting;
    return {
      get: (query, positions) => {
        const answer = isValid() ? this.#answers.get(query) : undefined;
        // A concurrent query may have taken a later snapshot.
        return answer && isReached(answer.positions, positions) ? answer : undefined;
      },
      set: (query, answer) => {
        if (isValid()) this.#answers.set(query, answer);
      },
    };
  }

  /** Runs work that deletes rows; deletions run one at a time. */
  async whileDeleting<T>(work: () => Promise<T>): Promise<T> {
    this.#isDeleting = true;
    this.#deletions++;
    this.#answers.clear();
    try {
      return await work();
    } finally {
      this.#deletions++;
      this.#isDeleting = false;
    }
  }
}

const isReached = (earlier: Positions, positions: Positions) =>
  Object.entries(earlier).every(([source, position]) => (positions[source] ?? 0) >= position);
