import { ROLES, type Role } from '@switchyard/core/api/role-order';
import { hasChecksum } from '../../configuration/database/credential-text.ts';
import type { Database } from '../../configuration/database/database.ts';
import {
  derivePerProperty,
  type PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import { TOKEN_PREFIX } from '../../http/access/authentication.ts';
import { type Caller, type CallerDirectory, credentialId } from '../../http/contract/caller.ts';
import { findToken, findTokens, touchToken } from './access-token-store.ts';
import { findSession, findSessions, touchSession } from './account-session-store.ts';

/** How old the stored time of the last use may be: requests must not cause a write each. */
const TOUCH_MS = { session: 5 * 60 * 1000, token: 60 * 1000 };
const IDS_PER_QUERY = 500;
/** Of 32 bytes in base64url. */
const COOKIE = /^[A-Za-z0-9_-]{43}$/;

interface AccountColumns {
  accountId: string;
  email: string;
  name: string;
  isOwner: number;
}

const membersOf = derivePerProperty(
  ({ members }) => new Map<string, Role>(members.map(({ accountId, role }) => [accountId, role])),
);

/** Finds the account behind a cookie or token with one indexed query per request. */
export function createCallerDirectory(
  database: Database,
  onError: (error: unknown) => void,
): CallerDirectory {
  const touching = new Set<string>();
  const touch = (id: string, run: () => Promise<void>) => {
    // A burst of requests finds the same old time.
    if (touching.has(id)) return;
    touching.add(id);
    run()
      .catch(onError)
      .finally(() => touching.delete(id));
  };
  return {
    async bySession(cookie) {
      if (!COOKIE.test(cookie)) return undefined;
      const session = await findSession(database, cookie);
      if (session === undefined) return undefined;
      const now = Date.now();
      if (now - session.lastSeenAt > TOUCH_MS.session) {
        touch(session.id, () => touchSession(database, session.id, now));
      }
      return sessionCaller(session);
    },
    async byToken(text) {
      if (!hasChecksum(text.slice(TOKEN_PREFIX.length))) return undefined;
      const token = await findToken(database, text);
      if (token === undefined) return undefined;
      const now = Date.now();
      if (now - (token.lastUsedAt ?? 0) > TOUCH_MS.token) {
        touch(token.id, () => touchToken(database, token.id, now));
      }
      return tokenCaller(token);
    },
    async stillValid(callers) {
      const valid = new Map<string, Caller>();
      const ids = (via: Caller['via']) => [
        ...new Set(callers.filter((caller) => caller.via === via).map(credentialId)),
      ];
      for (const part of partsOf(ids('dashboard'))) {
        for (const session of await findSessions(database, part)) {
          valid.set(session.id, sessionCaller(session));
        }
      }
      for (const part of partsOf(ids('token'))) {
        for (const token of await findTokens(database, part)) valid.set(token.id, tokenCaller(token));
      }
      return valid;
    },
  };
}

function partsOf(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / IDS_PER_QUERY) }, (_, part) =>
    ids.slice(part * IDS_PER_QUERY, (part + 1) * IDS_PER_QUERY),
  );
}

function sessionCaller(session: AccountColumns & { id: string }): Caller {
  const { accountId: id, email, name } = session;
  const isOwner = session.isOwner === 1;
  return {
    account: { id, email, name, isOwner },
    actor: { type: 'account', id, name },
    via: 'dashboard',
    sessionId: session.id,
    roleIn: (property) => accountRole(id, isOwner, property),
  };
}

function tokenCaller(
  token: AccountColumns & { id: string; tokenName: string; role: Role; properties: string | null },
): Caller {
  const { accountId: id, email, name } = token;
  const ownsAll = token.isOwner === 1;
  const properties = token.properties === null ? undefined : (JSON.parse(token.properties) as string[]);
  return {
    account: {
      id,
      email,
      name,
      isOwner: ownsAll && token.role === 'owner' && properties === undefined,
    },
    actor: { type: 'token', id: token.id, name: `${token.tokenName} (${name})` },
    via: 'token',
    tokenId: token.id,
    roleIn: (property) => {
      if (properties !== undefined && !properties.includes(property.id)) return undefined;
      const role = accountRole(id, ownsAll, property);
      return role && lowerOf(role, token.role);
    },
  };
}

/** Undefined if the account has no access to the property. */
export function accountRole(
  accountId: string,
  isOwner: boolean,
  property: PropertyConfiguration,
): Role | undefined {
  return isOwner ? 'owner' : membersOf(property).get(accountId);
}

const lowerOf = (a: Role, b: Role): Role => (ROLES.indexOf(a) < ROLES.indexOf(b) ? a : b);
