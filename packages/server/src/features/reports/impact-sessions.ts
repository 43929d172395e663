import { type Context, readAttribute } from '@switchyard/core/evaluation/attribute-values';
import { SESSION_IDS, sessionContext } from '@switchyard/core/evaluation/session-context';
import type { UsedAttributes } from '@switchyard/core/evaluation/used-attributes';
import type { SessionContexts } from '../../events/store/session-context-queries.ts';

/** The sessions of a period as contexts. Most sessions share their context with others, apart from ids. */
export class ImpactSessions {
  readonly #columns: SessionContexts;
  readonly #names: readonly string[];
  readonly #contexts: (Context | undefined)[] = [];
  readonly #missing: (readonly number[] | undefined)[] = [];
  #last: { at: number; context: Context } = { at: -1, context: {} };

  /** @param names the attributes that were read */
  constructor(columns: SessionContexts, names: readonly string[]) {
    this.#columns = columns;
    this.#names = names;
  }

  get count(): number {
    return this.#columns.sessionIds.length;
  }

  sessionId(at: number): string {
    return this.#columns.sessionIds[at]!;
  }

  visitorId(at: number): string {
    return this.#columns.visitorIds[at]!;
  }

  userId(at: number): string | null {
    return this.#columns.userIds[at]!;
  }

  contextIndex(at: number): number {
    return this.#columns.contextIndexes[at]!;
  }

  /** The context without ids. */
  sharedContext(at: number): Context {
    const index = this.contextIndex(at);
    let context = this.#contexts[index];
    if (context === undefined) {
      const { attributes, ...client } = this.#columns.contexts[index]!;
      const values = JSON.parse(attributes) as unknown[];
      const own = Object.fromEntries(this.#names.map((name, position) => [name, values[position]]));
      context = sessionContext(own, { visitorId: null, userId: null, ...client });
      this.#contexts[index] = context;
    }
    return context;
  }

  /** Cached for one session, because all flags are evaluated with it in turn. */
  wholeContext(at: number): Context {
    if (this.#last.at !== at) {
      const ids = { sessionId: this.sessionId(at), visitorId: this.visitorId(at) };
      const userId = this.#columns.userIds[at];
      const all = userId === null ? ids : { ...ids, userId };
      this.#last = { at, context: { ...all, ...this.sharedContext(at) } };
    }
    return this.#last.context;
  }

  /** Positions of the names that the session does not have; ids are looked at separately. */
  missing(at: number): readonly number[] {
    const index = this.contextIndex(at);
    this.#missing[index] ??= this.#names.flatMap((name, position) =>
      isFilledIn(name) || isPresent(this.sharedContext(at), name) ? [] : [position],
    );
    return this.#missing[index];
  }

  lacksUser(at: number): boolean {
    return this.#columns.userIds[at] === null && !isPresent(this.sharedContext(at), 'userId');
  }
}

const isPresent = (context: Context, name: string) => (readAttribute(context, name) ?? null) !== null;
const isFilledIn = (name: string) => (SESSION_IDS as readonly string[]).includes(name);

/** Whether sessions with the same attributes can have different results. */
export function dependsOnIds({ named, usesUnit }: UsedAttributes): boolean {
  return usesUnit || SESSION_IDS.some((name) => named.has(name));
}
