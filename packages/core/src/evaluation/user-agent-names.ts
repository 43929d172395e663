import type { PublishedAudience } from '../api/audience.ts';

type Conditions = PublishedAudience['conditions'];

const contains = (...values: string[]) => ({ attribute: 'userAgent', operator: 'contains', values }) as const;
const lacks = (...values: string[]) => ({ ...contains(...values), negate: true }) as const;
const all = (...conditions: Conditions): PublishedAudience => ({ match: 'all', conditions });

/** Android without "Mobile" is a tablet; "Mobi" is also part of Opera and Firefox on phones. */
const TABLET: PublishedAudience = {
  match: 'any',
  conditions: [
    contains('iPad', 'Tablet', 'PlayBook', 'Silk/'),
    all(contains('Android'), lacks('Mobi', 'TV')),
  ],
};
const CHROMIUM_BRANDS = ['Edg', 'OPR/', 'SamsungBrowser/', 'YaBrowser/', 'Vivaldi/'];
const ON_IOS = ['CriOS/', 'FxiOS/', 'EdgiOS/', 'OPT/', 'OPiOS/'];

/**
 * What user agents contain, by the names that the service has for devices and browsers. Pages find out with these
 * conditions; they are in the definitions, not in the code, so that only tests that ask for it pay for it.
 */
export const USER_AGENT_NAMES: Readonly<Record<string, Readonly<Record<string, PublishedAudience>>>> = {
  device: {
    mobile: all(contains('Mobi', 'iPhone', 'iPod'), { ...TABLET, negate: true }),
    tablet: TABLET,
    desktop: all(contains('Windows NT', 'Macintosh', 'X11', 'CrOS'), lacks('Mobi', 'TV'), {
      ...TABLET,
      negate: true,
    }),
  },
  browser: {
    Chrome: all(contains('Chrome/', 'CriOS/'), lacks(...CHROMIUM_BRANDS, 'OPT/')),
    Firefox: all(contains('Firefox/', 'FxiOS/'), lacks('Seamonkey/')),
    'Microsoft Edge': all(contains('Edg/', 'Edge/', 'EdgA/', 'EdgiOS/')),
    Opera: all(contains('OPR/', 'OPT/', 'OPiOS/')),
    Safari: all(contains('Safari/'), contains('Version/'), lacks('Chrome/', 'Android', ...ON_IOS)),
    'Samsung Internet for Android': all(contains('SamsungBrowser/')),
  },
};
