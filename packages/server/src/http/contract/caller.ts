import { hasRole, type Role } from '@switchyard/core/api/role-order';
import type { Actor } from '../../configuration/property/actor.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on routes with `access` other than `anyone`, and on routes with `members` if no API key was sent. */
    caller: Caller;
    /** The property of a route with `:propertyId`. */
    managed: PropertyConfiguration;
  }
}

/** Who sent a management request. */
export interface Caller {
  account: {
    id: string;
    email: string;
    name: string;
    /** Whether the caller may act as an owner: false for an owner's token with a lower role or a list of properties. */
    isOwner: boolean;
  };
  /** For the history. */
  actor: Actor;
  via: 'dashboard' | 'token';
  sessionId?: string;
  tokenId?: string;
  /** Undefined if the caller has no access. */
  roleIn(property: PropertyConfiguration): Role | undefined;
}

/** Looks up credentials in the database for every request, so that revoking one takes effect at once. */
export interface CallerDirectory {
  bySession(cookie: string): Promise<Caller | undefined>;
  byToken(text: string): Promise<Caller | undefined>;
  /** Those whose session or token is still valid, with their present rights, by `credentialId`. */
  stillValid(callers: readonly Caller[]): Promise<ReadonlyMap<string, Caller>>;
}

export const credentialId = ({ sessionId, tokenId }: Caller): string => sessionId ?? tokenId!;

/** Who may call a management route: everyone, every account, or accounts with at least this role in the property. */
export type Access = 'anyone' | 'account' | Role;

/** Whether the caller may call a route that belongs to no property. */
export function mayCall(caller: Caller, access: Exclude<Access, 'anyone'>): boolean {
  return access === 'account' || (access === 'owner' && caller.account.isOwner);
}

export function mayCallIn(
  caller: Caller,
  property: PropertyConfiguration,
  access: Exclude<Access, 'anyone'>,
): boolean {
  const role = caller.roleIn(property);
  return role !== undefined && (access === 'account' || hasRole(role, access));
}
