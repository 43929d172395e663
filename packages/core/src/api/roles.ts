import type { Static } from 'typebox';
import { oneOf } from './common.ts';
import { ROLES } from './role-order.ts';

export const Role = oneOf(ROLES, { title: 'Role' });
export type Role = Static<typeof Role>;

export const MemberRole = oneOf(['viewer', 'editor', 'admin'], { title: 'MemberRole' });
export type MemberRole = Static<typeof MemberRole>;
