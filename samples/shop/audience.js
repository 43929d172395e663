// Who visits the shop, and from where; all by weight.

const utm = (source, medium, campaign) =>
  `utm_source=${source}&utm_medium=${medium}&utm_campaign=${campaign}`;

/** Referrer and query of the first page, and which page that is. */
export const CHANNELS = [
  { weight: 27, entries: { home: 70, product: 20, account: 10 } },
  {
    weight: 30,
    referrer: 'https://www.google.com/',
    entries: { home: 30, product: 40, category: 20, journal: 10 },
  },
  {
    weight: 10,
    referrer: 'https://www.google.com/',
    query: utm('google', 'cpc', 'oak-tables'),
    entries: { category: 60, product: 40 },
  },
  {
    weight: 9,
    referrer: 'https://www.instagram.com/',
    query: utm('instagram', 'social', 'slow-living'),
    entries: { home: 30, product: 70 },
  },
  {
    weight: 8,
    query: utm('newsletter', 'email', 'autumn-letter'),
    entries: { home: 30, product: 40, journal: 30 },
  },
  { weight: 6, referrer: 'https://www.pinterest.com/', entries: { product: 80, journal: 20 } },
  { weight: 4, referrer: 'https://duckduckgo.com/', entries: { home: 50, product: 50 } },
  { weight: 3, referrer: 'https://www.bing.com/', entries: { home: 50, category: 50 } },
  {
    weight: 2,
    referrer: 'https://smallhomes.example/best-desks',
    query: utm('smallhomes', 'affiliate', 'best-desks'),
    entries: { product: 1 },
  },
  { weight: 1, referrer: 'https://www.reddit.com/', entries: { product: 60, journal: 40 } },
];

export const COUNTRIES = [
  { weight: 26, country: 'DE', language: 'de', hoursAhead: 1 },
  { weight: 18, country: 'GB', language: 'en', hoursAhead: 0 },
  { weight: 13, country: 'NL', language: 'nl', hoursAhead: 1 },
  { weight: 9, country: 'FR', language: 'fr', hoursAhead: 1 },
  { weight: 7, country: 'SE', language: 'sv', hoursAhead: 1 },
  { weight: 7, country: 'US', language: 'en', hoursAhead: -6 },
  { weight: 5, country: 'BE', language: 'nl', hoursAhead: 1 },
  { weight: 5, country: 'AT', language: 'de', hoursAhead: 1 },
  { weight: 4, country: 'DK', language: 'da', hoursAhead: 1 },
  { weight: 3, country: 'NO', language: 'no', hoursAhead: 1 },
  { weight: 2, country: 'CA', language: 'en', hoursAhead: -5 },
  { weight: 1, country: 'FI', language: 'fi', hoursAhead: 2 },
];

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const APPLE = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

/** Software: as the server reads it from the user agent, and the user agent. */
const agent = (weight, device, browser, os, rest) => ({
  weight,
  device,
  browser,
  os,
  userAgent: `Mozilla/5.0 ${rest}`,
});

const WINDOWS = '(Windows NT 10.0; Win64; x64';
const SAMSUNG = 'Samsung Internet for Android';

export const AGENTS = [
  agent(
    27,
    'mobile',
    'Chrome',
    'Android',
    `(Linux; Android 14; Pixel 8) ${WEBKIT} Chrome/140.0.0.0 Mobile Safari/537.36`,
  ),
  agent(
    24,
    'mobile',
    'Safari',
    'iOS',
    `(iPhone; CPU iPhone OS 18_5 like Mac OS X) ${APPLE} Version/18.5 Mobile/15E148 Safari/604.1`,
  ),
  agent(19, 'desktop', 'Chrome', 'Windows', `${WINDOWS}) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`),
  agent(
    9,
    'desktop',
    'Safari',
    'macOS',
    `(Macintosh; Intel Mac OS X 10_15_7) ${APPLE} Version/18.5 Safari/605.1.15`,
  ),
  agent(
    7,
    'desktop',
    'Microsoft Edge',
    'Windows',
    `${WINDOWS}) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
  ),
  agent(5, 'desktop', 'Firefox', 'Windows', `${WINDOWS}; rv:142.0) Gecko/20100101 Firefox/142.0`),
  agent(2, 'desktop', 'Firefox', 'Linux', '(X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0'),
  agent(
    4,
    'mobile',
    SAMSUNG,
    'Android',
    `(Linux; Android 14; SM-S921B) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
  ),
  agent(
    3,
    'tablet',
    'Safari',
    'iOS',
    `(iPad; CPU OS 16_7 like Mac OS X) ${APPLE} Version/16.6 Mobile/15E148 Safari/604.1`,
  ),
];

export const BOTS = [
  agent(60, 'bot', 'Googlebot', 'unknown', '(compatible; Googlebot/2.1; +http://www.google.com/bot.html)'),
  agent(40, 'bot', 'BingCrawler', 'unknown', '(compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)'),
];
