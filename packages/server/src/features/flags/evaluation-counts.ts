/** A result of the evaluator: one value of one flag in one environment. */
export interface CountedResult {
  readonly propertyId: string;
  readonly environmentId: string;
  readonly flagKey: string;
  /** As stored, see `usageValue`. */
  readonly value: string;
  /** Evaluations since the counts were last taken. */
  count: number;
}

/** How often a flag had a value. */
export interface UsageCount {
  readonly propertyId: string;
  readonly environmentId: string;
  readonly flagKey: string;
  readonly value: string;
  readonly count: number;
  /** The last time. */
  readonly at: number;
}

/** Counts evaluations in memory. Results without new evaluations are not referenced, so that they can be collected. */
export class EvaluationCounts {
  #counted: CountedResult[] = [];

  /** Called for every evaluation: must not allocate or look anything up. */
  add(result: CountedResult): void {
    if (result.count++ === 0) this.#counted.push(result);
  }

  /** Returns the counts since the last call and starts over. */
  take(at: number): UsageCount[] {
    const counted = this.#counted;
    this.#counted = [];
    return counted.map((result) => {
      const { propertyId, environmentId, flagKey, value, count } = result;
      result.count = 0;
      return { propertyId, environmentId, flagKey, value, count, at };
    });
  }
}
