import { hash } from 'node:crypto';
import type { SuppressedKind } from '../../configuration/database/tables/suppression-tables.ts';

/** The salt keeps those who read the list from finding out whether an id is in it. */
export function suppressionHash(salt: string, propertyId: string, kind: SuppressedKind, id: string): string {
  // 132 bits.
  return hash('sha256', `${salt}\0${propertyId}\0${kind}\0${id}`, 'base64url').slice(0, 22);
}
