import { createHmac } from 'node:crypto';
import { COOKIELESS_PREFIX } from '@switchyard/core/cleaning/cookieless';

const DIGITS = 32;

/** An id for the visitors of a property with this address and browser. Without the salt, nobody can compute it again. */
export function dailyIdentity(
  salt: string,
  propertyId: string,
  address: string,
  userAgent: string | undefined,
): string {
  const hash = createHmac('sha256', salt).update(JSON.stringify([propertyId, address, userAgent ?? '']));
  return COOKIELESS_PREFIX + hash.digest('hex').slice(0, DIGITS);
}
