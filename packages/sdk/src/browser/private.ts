import { COOKIELESS_PREFIX } from '@switchyard/core/cleaning/cookieless';
import type { Host } from '../client/host.ts';
import { newId } from '../client/identity.ts';
import type { AnySchema, SwitchyardSchema } from '../client/schema.ts';
import { cleanRequests, type PrivacyOptions } from './clean-requests.ts';
import { withoutStorage } from './cookieless-host.ts';
import { fetchDailyIdentity, waitForIdentity } from './daily-identity.ts';
import { fixVisitorCookie } from './fixed-visitor-cookie.ts';
import { openSwitchyard } from './open-switchyard.ts';
import { createPageHost } from './page-host.ts';
import { hasPrivacySignal } from './privacy-signal.ts';
import type { SwitchyardOptions as BrowserOptions, Switchyard } from './switchyard.ts';

export type { Attributes, SplitTesting, SplitTests } from '../client/browser-client.ts';
export type { AnySchema, JsonValue, SwitchyardSchema } from '../client/schema.ts';
export type { Bootstrap, Choice, SplitTestConfig, SplitTestDefinition } from '../client/split-tests.ts';
export type { Switchyard } from './switchyard.ts';

export interface SwitchyardOptions extends BrowserOptions, PrivacyOptions {}

/**
 * The browser client for pages that record less about people. Never throws, except when given a secret key.
 *
 * @example
 * const switchyard = createSwitchyard({ apiUrl, publicApiKey, propertyId: 'shop', identity: 'day' });
 * await switchyard.ready();
 * button.textContent = switchyard.splitTest.get('hero', 'Buy');
 */
export function createSwitchyard<Schema extends SwitchyardSchema = AnySchema>(
  options: SwitchyardOptions,
): Switchyard<Schema> {
  const settings = { ...options };
  const { identity = 'cookies', preset } = settings;
  const hasCookies = identity === 'cookies';
  let id = COOKIELESS_PREFIX + newId();

  const createHost = (cookieDomain?: string): Host => {
    const host = createPageHost(hasCookies && !preset ? cookieDomain : undefined);
    cleanRequests(host, settings);
    if (!hasCookies) withoutStorage(host, () => id);
    else if (preset) fixVisitorCookie(host);
    return host;
  };

  const { switchyard } = openSwitchyard(
    {
      ...settings,
      ...(!hasCookies && { bootstrap: null }),
      ...(identity === 'day' && { consent: 'required' }),
    },
    undefined,
    createHost,
  );
  if (identity !== 'day' || typeof document === 'undefined')
    return switchyard as unknown as Switchyard<Schema>;
  const identified = waitForIdentity(
    switchyard,
    settings.consent !== 'required' && !hasPrivacySignal(),
    async () => {
      id = await fetchDailyIdentity(settings);
    },
  );
  return identified as unknown as Switchyard<Schema>;
}
