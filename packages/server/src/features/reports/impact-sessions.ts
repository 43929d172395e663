import { type Context, readAttribute } from '@switchyard/core/evaluation/attribute-values';
import { SESSION_IDS, sessionContext } from '@switchyard/core/evaluation/session-context';
import type { UsedAttributes } from '@switchyard/core/evaluation/used-attributes';
import { visitPartsFor, withEntry, withStart } from '../../events/store/audience-context.ts';
import type { SessionContexts } from '../../events/store/session-context-queries.ts';

/** The sessions of a period as contexts. Most sessions share their context with others, apart from ids. */
export class ImpactSessions {
  readonly #columns: SessionContexts;
  readonly #names: readonly string[];
  readonly #timeZone: string;
  readonly #contexts: (Context | undefined)[] = [];
  readonly #pageContexts: (Context | undefined)[] = [];
  #last: { at: number; context: Context } = { at: -1, context: {} };

  /**
   * @param names the attributes that were read
   * @param timeZone of the property, for what audiences use
   */
  constructor(columns: SessionContexts, names: readonly string[], timeZone: string) {
    this.#columns = columns;
    this.#names = names;
    this.#timeZone = timeZone;
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
      const {
        attributes,
        entryUrl: _entryUrl,
        referrer: _referrer,
        ...client
      } = this.#columns.contexts[index]!;
      const values = JSON.parse(attributes) as unknown[];
      const own = Object.fromEntries(this.#names.map((name, position) => [name, values[position]]));
      context = sessionContext(own, { visitorId: null, userId: null, ...client });
      this.#contexts[index] = context;
    }
    return context;
  }

  /** Cached for one session, because all flags are evaluated with it in turn. */
  wholeContext(at: number): Context {
    if (this.#last.at !== at) this.#last = { at, context: { ...this.#ids(at), ...this.sharedContext(at) } };
    return this.#last.context;
  }

  /** For audiences: the context without ids and without what depends on the start of the session. */
  pageContext(at: number): Context {
    const index = this.contextIndex(at);
    let context = this.#pageContexts[index];
    if (context === undefined) {
      context = withEntry(this.sharedContext(at), this.#columns.contexts[index]);
      this.#pageContexts[index] = context;
    }
    return context;
  }

  /** For audiences. */
  visitContext(at: number): Context {
    const { startedAt, returning } = this.#columns;
    const start = { startedAt: startedAt?.[at], returning: returning?.[at] };
    return { ...this.#ids(at), ...withStart(this.pageContext(at), start, this.#timeZone) };
  }

  lacksUser(at: number): boolean {
    return this.userId(at) === null && (readAttribute(this.sharedContext(at), 'userId') ?? null) === null;
  }

  #ids(at: number): Context {
    const ids = { sessionId: this.sessionId(at), visitorId: this.visitorId(at) };
    const userId = this.userId(at);
    return userId === null ? ids : { ...ids, userId };
  }
}

/** Whether sessions with the same attributes can have different results. */
export function dependsOnIds({ named, usesUnit }: UsedAttributes): boolean {
  return usesUnit || SESSION_IDS.some((name) => named.has(name));
}

/** Sessions that began on the same page with the same attributes have the same result, if nothing else is used. */
export function oncePerPage<T>(
  used: UsedAttributes,
  compute: (context: Context) => T,
): (sessions: ImpactSessions, at: number) => T {
  if (dependsOnVisit(used)) return (sessions, at) => compute(sessions.visitContext(at));
  const known = new Map<number, T>();
  return (sessions, at) => {
    const index = sessions.contextIndex(at);
    if (!known.has(index)) known.set(index, compute(sessions.pageContext(at)));
    return known.get(index)!;
  };
}

/** Like `dependsOnIds`, for audiences, which can also use the start of the session. */
function dependsOnVisit(used: UsedAttributes): boolean {
  return dependsOnIds(used) || visitPartsFor(used.named).some((part) => part !== 'entry');
}
