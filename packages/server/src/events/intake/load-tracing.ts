import { measureWork, type TracedWork, type TraceParent } from '../../platform/tracing/tracer.ts';

/** Commits that wait to be loaded, for example while the event store is unavailable; later ones are not linked. */
const MAX_WAITING = 256;

/** Measures batches on their way into the event store, if they contain requests that are traced. */
export class LoadTracing {
  readonly #record: (work: TracedWork) => void;
  #waiting: { seq: number; trace: TraceParent }[] = [];

  constructor(record: (work: TracedWork) => void) {
    this.#record = record;
  }

  /** Call it with the first position of a commit. */
  committed(seq: number, trace: TraceParent): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push({ seq, trace });
  }

  /** Runs a load of the rows up to a position; each attempt is a span of its own. */
  async measure<T>(last: number, rows: number, load: () => Promise<T>): Promise<T> {
    const causes = this.#waiting.filter(({ seq }) => seq <= last).map(({ trace }) => trace);
    if (causes.length === 0) return load();
    const finish = measureWork({ name: 'load', causes, attributes: { 'switchyard.requests': rows } });
    try {
      const result = await load();
      this.#waiting = this.#waiting.filter(({ seq }) => seq > last);
      this.#record(finish());
      return result;
    } catch (error) {
      this.#record(finish(error));
      throw error;
    }
  }
}
