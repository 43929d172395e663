import { MAX_IMPACT_EXAMPLES, MAX_IMPACT_TEXT, MAX_TRANSITIONS } from '@switchyard/core/api/impact';
import type { FlagValue } from '@switchyard/core/api/targeting';
import { isCookieless } from '@switchyard/core/cleaning/cookieless';

type Result = FlagValue | null;

/** Counts visitors by a change of their result. Numbers stand for changes, so that replaying allocates nothing. */
export class TransitionTally {
  readonly #numbers = new Map<Result, Map<Result, number>>();
  readonly #transitions: { from: Result; to: Result; visitors: number; examples: string[] }[] = [];
  /** The changes of the current visitor. */
  readonly #current: number[] = [];
  changed = 0;

  /** The number of a change; undefined if there is none. */
  numberOf(from: Result, to: Result): number | undefined {
    if (from === to) return undefined;
    const targets = this.#numbers.get(from) ?? new Map<Result, number>();
    this.#numbers.set(from, targets);
    let number = targets.get(to);
    if (number === undefined) {
      number = this.#transitions.push({ from, to, visitors: 0, examples: [] }) - 1;
      targets.set(to, number);
    }
    return number;
  }

  /** Call for every session of a visitor. */
  add(number: number | undefined, sessionId: string): void {
    if (number === undefined || this.#current.includes(number)) return;
    this.#current.push(number);
    const { examples } = this.#transitions[number]!;
    if (examples.length < MAX_IMPACT_EXAMPLES && !isCookieless(sessionId)) examples.push(sessionId);
  }

  /** Call after the last session of a visitor; returns whether anything changed for them. */
  endVisitor(): boolean {
    if (this.#current.length === 0) return false;
    this.changed++;
    for (const number of this.#current) this.#transitions[number]!.visitors++;
    this.#current.length = 0;
    return true;
  }

  /** Most visitors first. */
  transitions() {
    return this.#transitions
      .filter(({ visitors }) => visitors > 0)
      .sort((left, right) => right.visitors - left.visitors)
      .slice(0, MAX_TRANSITIONS)
      .map(({ from, to, ...counts }) => ({ from: shortResult(from), to: shortResult(to), ...counts }));
  }
}

function shortResult(result: Result): Result {
  if (typeof result !== 'string' || result.length <= MAX_IMPACT_TEXT) return result;
  return `${result.slice(0, MAX_IMPACT_TEXT - 1)}…`;
}
