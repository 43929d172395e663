import { type Context, readAttribute } from '@switchyard/core/evaluation/attribute-values';
import { SESSION_IDS } from '@switchyard/core/evaluation/session-context';
import type { UsedAttributes } from '@switchyard/core/evaluation/used-attributes';
import type { ImpactSessions } from './impact-sessions.ts';

/** Number of visitors without an attribute, of those asked for. */
export type UnknownCounts = (used: UsedAttributes) => { attribute: string; visitors: number }[];

/** Every session has them, if they are asked for. */
const FILLED_IN: readonly string[] = [...SESSION_IDS, 'hour', 'returning'];

/** Counts the visitors with a session that does not have an attribute. */
export class MissingAttributes {
  readonly #names: readonly string[];
  readonly #contextOf: (sessions: ImpactSessions, at: number) => Context;
  readonly #filledIn: ReadonlySet<string>;
  readonly #user: number;
  readonly #visitors: number[];
  readonly #current: boolean[];
  /** Positions of the names that a context does not have, by its index. */
  readonly #missing: (readonly number[] | undefined)[] = [];

  /** @param kind audiences know more of a session than flags */
  constructor(names: readonly string[], kind: 'flags' | 'audiences') {
    this.#names = names;
    this.#contextOf =
      kind === 'flags'
        ? (sessions, at) => sessions.sharedContext(at)
        : (sessions, at) => sessions.pageContext(at);
    this.#filledIn = new Set(kind === 'flags' ? SESSION_IDS : FILLED_IN);
    this.#user = names.indexOf('userId');
    this.#visitors = names.map(() => 0);
    this.#current = names.map(() => false);
  }

  add(sessions: ImpactSessions, at: number): void {
    if (this.#names.length === 0) return;
    for (const position of this.#positions(sessions, at)) this.#current[position] = true;
    if (this.#user >= 0 && sessions.lacksUser(at)) this.#current[this.#user] = true;
  }

  endVisitor(): void {
    for (const position of this.#current.keys()) {
      if (!this.#current[position]) continue;
      this.#visitors[position]!++;
      this.#current[position] = false;
    }
  }

  /** Most visitors first. */
  readonly of: UnknownCounts = ({ named }) =>
    this.#names
      .map((attribute, position) => ({ attribute, visitors: this.#visitors[position]! }))
      .filter(({ attribute, visitors }) => visitors > 0 && named.has(attribute))
      .sort((left, right) => right.visitors - left.visitors);

  /** Ids are looked at separately. */
  #positions(sessions: ImpactSessions, at: number): readonly number[] {
    const index = sessions.contextIndex(at);
    const known = this.#missing[index];
    if (known !== undefined) return known;
    const context = this.#contextOf(sessions, at);
    const found = this.#names.flatMap((name, position) =>
      this.#filledIn.has(name) || (readAttribute(context, name) ?? null) !== null ? [] : [position],
    );
    this.#missing[index] = found;
    return found;
  }
}
