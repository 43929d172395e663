/** Names of crawlers and marks of browsers without a window. Cubot makes phones. */
const BOT =
  /(?<!cu)bot\b|(?<!cu)bot[/_;:.+-]|crawl|spider|slurp|headless|phantomjs|puppeteer|playwright|selenium|webdriver|lighthouse|pagespeed|pingdom|facebookexternalhit|bingpreview|mediapartners|archiver|scrapy|screaming frog|feedfetcher|embedly|whatsapp\/|telegrambot|skypeuripreview/i;

/**
 * Whether a user agent names itself a crawler, a preview or a headless browser. Libraries such as curl or
 * python-requests are not: backends use them to report what real visitors saw.
 */
export function isBot(userAgent: string | undefined): boolean {
  return userAgent !== undefined && BOT.test(userAgent.slice(0, 512));
}
