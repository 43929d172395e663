/** Roles that a member of a property can have. */
export const MEMBER_ROLES = ['viewer', 'editor', 'admin'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];
