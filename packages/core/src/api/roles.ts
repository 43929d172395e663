import type { Static } from 'typebox';
import { oneOf } from './common.ts';

/** From the least to the most powerful. Owners have every property; the other roles are per property. */
export const ROLES = ['viewer', 'editor', 'admin', 'owner'] as const;
export const Role = oneOf(ROLES, { title: 'Role' });
export type Role = Static<typeof Role>;

export const MemberRole = oneOf(['viewer', 'editor', 'admin'], { title: 'MemberRole' });
export type MemberRole = Static<typeof MemberRole>;

export function hasRole(role: Role | undefined, needed: Role): boolean {
  return role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
