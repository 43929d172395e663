import { hash } from 'node:crypto';

/** What can be suppressed. Feedback and metadata are not looked at when events arrive, only after a restore. */
export type SuppressedKind = 'visitor' | 'user' | 'session' | 'feedback' | 'metadata';

/** The salt keeps those who read the list from finding out whether an id is in it. */
export function suppressionHash(salt: string, propertyId: string, kind: SuppressedKind, id: string): string {
  // 132 bits.
  return hash('sha256', `${salt}\0${propertyId}\0${kind}\0${id}`, 'base64url').slice(0, 22);
}
