import { randomBytes } from 'node:crypto';
import type { MemberRole } from '@switchyard/core/api/roles';
import { DAY_MS } from '@switchyard/core/time';
import { hashCredential } from '../../configuration/database/credential-text.ts';
import { type Database, newId } from '../../configuration/database/database.ts';
import { normalizeEmail } from './account-store.ts';

const VALID_MS = 7 * DAY_MS;
/** Used and expired ones are kept this long for whoever looks into the database. */
const KEEP_MS = 90 * DAY_MS;
/** Open invitations of a property. */
export const MAX_INVITATIONS = 200;

export interface StoredInvitation {
  id: string;
  propertyId: string;
  email: string;
  role: MemberRole;
  invitedBy: string;
  createdAt: number;
  expiresAt: number;
}

interface NewInvitation {
  propertyId: string;
  email: string;
  role: MemberRole;
  invitedBy: string;
}

/** Stores an invitation and returns its token, of which only a hash is stored. */
export async function createInvitation(
  database: Database,
  invitation: NewInvitation,
): Promise<{ invitation: StoredInvitation; token: string }> {
  const token = randomBytes(32).toString('base64url');
  const now = Date.now();
  const stored = {
    ...invitation,
    id: newId('inv'),
    email: normalizeEmail(invitation.email),
    createdAt: now,
    expiresAt: now + VALID_MS,
  };
  await database
    .deleteFrom('invitations')
    .where('expires_at', '<', now - KEEP_MS)
    .execute();
  await database
    .insertInto('invitations')
    .values({
      id: stored.id,
      hash: hashCredential(token),
      property_id: stored.propertyId,
      email: stored.email,
      role: stored.role,
      invited_by: stored.invitedBy,
      created_at: stored.createdAt,
      expires_at: stored.expiresAt,
    })
    .execute();
  return { invitation: stored, token };
}

function openInvitations(database: Database) {
  return database
    .selectFrom('invitations')
    .select([
      'id',
      'property_id as propertyId',
      'email',
      'role',
      'invited_by as invitedBy',
      'created_at as createdAt',
      'expires_at as expiresAt',
    ])
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', Date.now());
}

export function listInvitations(database: Database, propertyId: string): Promise<StoredInvitation[]> {
  return openInvitations(database)
    .where('property_id', '=', propertyId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(MAX_INVITATIONS)
    .execute();
}

export function findInvitation(database: Database, token: string): Promise<StoredInvitation | undefined> {
  return openInvitations(database).where('hash', '=', hashCredential(token)).executeTakeFirst();
}

/** Marks the invitation as used; false if it is not open any more. Of two parallel calls only one gets true. */
export async function useInvitation(database: Database, id: string): Promise<boolean> {
  const now = Date.now();
  const { numUpdatedRows } = await database
    .updateTable('invitations')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** For when the membership could not be saved after all. */
export async function reopenInvitation(database: Database, id: string): Promise<void> {
  await database.updateTable('invitations').set({ used_at: null }).where('id', '=', id).execute();
}

/** Returns false if the property has no such open invitation. */
export async function revokeInvitation(database: Database, propertyId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('invitations')
    .set({ revoked_at: Date.now() })
    .where('id', '=', id)
    .where('property_id', '=', propertyId)
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
