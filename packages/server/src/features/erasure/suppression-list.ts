import type { Database } from '../../configuration/database/database.ts';
import type { SuppressedKind } from '../../configuration/database/tables/suppression-tables.ts';
import type { AcceptedRequest } from '../../events/store/accepted-request.ts';
import { suppressionHash } from './suppression-hash.ts';
import { readSuppressionState, readSuppressions, suppress } from './suppression-store.ts';

/** How often the list is read; other processes and nodes change it. */
const POLL_MS = 400;
/** After this time all processes know a change. */
export const SUPPRESSIONS_KNOWN_MS = 2 * POLL_MS + 200;

/** Sessions that requests can add until the next start: whoever knows the id of an erased visitor can invent them. */
const MAX_ADDED_SESSIONS = 10_000;

/** Who was erased, in memory: requests are checked without a query. */
export class SuppressionList {
  readonly #database: Database;
  #salt = '';
  #revision = 0;
  #lifted = 0;
  /** Hashes by property; properties without any are not in it. */
  #hashes = new Map<string, Set<string>>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #addedSessions = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Reads the list now and regularly; while the database is unavailable, the last one stays in use. */
  async open(): Promise<void> {
    await this.reload().catch(() => undefined);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.open(), POLL_MS).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async reload(): Promise<void> {
    const state = await readSuppressionState(this.#database);
    if (state === undefined || state.revision === this.#revision) return;
    const isComplete = state.lifted === this.#lifted && state.salt === this.#salt;
    const added = await readSuppressions(this.#database, isComplete ? this.#revision : 0);
    const hashes = isComplete ? this.#hashes : new Map<string, Set<string>>();
    for (const { propertyId, hash } of added) {
      const own = hashes.get(propertyId);
      if (own === undefined) hashes.set(propertyId, new Set([hash]));
      else own.add(hash);
    }
    this.#hashes = hashes;
    this.#salt = state.salt;
    this.#lifted = state.lifted;
    this.#revision = state.revision;
  }

  /** Removes from a request what must not be stored; returns the number of events removed, or 'all'. */
  filter(request: AcceptedRequest): number | 'all' {
    const { propertyId } = request;
    const hashes = this.#hashes.get(propertyId);
    if (hashes === undefined) return 0;
    const has = (kind: SuppressedKind, id: string | undefined) =>
      id !== undefined && hashes.has(suppressionHash(this.#salt, propertyId, kind, id));
    switch (request.kind) {
      case 'collect':
        if (has('session', request.sessionId)) return 'all';
        if (has('visitor', request.visitorId)) {
          this.#suppressSession(propertyId, request.sessionId);
          return 'all';
        }
        if (has('user', request.userId)) delete request.userId;
        return 0;
      case 'exposures': {
        const all = request.exposures.length;
        request.exposures = request.exposures.filter(({ sessionId }) => !has('session', sessionId));
        return request.exposures.length === 0 ? 'all' : all - request.exposures.length;
      }
      default:
        return has('session', request.sessionId) ? 'all' : 0;
    }
  }

  /** A new session of an erased visitor: its exposures and goals name only the session. */
  #suppressSession(propertyId: string, id: string): void {
    if (this.#addedSessions++ >= MAX_ADDED_SESSIONS) return;
    this.#hashes.get(propertyId)?.add(suppressionHash(this.#salt, propertyId, 'session', id));
    // If this fails, the next request of the session tries again once the list was read.
    suppress(this.#database, [{ propertyId, kind: 'session', id }]).catch(() => undefined);
  }
}
