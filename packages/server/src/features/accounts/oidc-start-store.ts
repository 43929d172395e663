import { MINUTE_MS } from '@switchyard/core/time';
import { hashCredential } from '../../configuration/database/credential-text.ts';
import type { Database } from '../../configuration/database/database.ts';

/** Time to sign in at the provider. */
export const OIDC_START_MS = 10 * MINUTE_MS;

/** Stores that a sign-in was started with this cookie; also removes expired ones. */
export async function saveOidcStart(database: Database, cookie: string): Promise<void> {
  const now = Date.now();
  await database
    .deleteFrom('oidc_starts')
    .where('created_at', '<=', now - OIDC_START_MS)
    .execute();
  await database
    .insertInto('oidc_starts')
    .values({ hash: hashCredential(cookie), created_at: now })
    .execute();
}

/** Uses up the cookie; returns false if it was used before, has expired or was never issued. */
export async function useOidcStart(database: Database, cookie: string): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('oidc_starts')
    .where('hash', '=', hashCredential(cookie))
    .where('created_at', '>', Date.now() - OIDC_START_MS)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
