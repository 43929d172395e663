import { describe, expect, it } from 'vitest';
import { isBot } from './bots.ts';

describe('isBot', () => {
  it.each([
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0) Chrome/116.0 Safari/537.36',
    'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/124.0.0.0 Safari/537.36',
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
    'Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)',
    'Mozilla/5.0 (Linux; Android 11) Chrome/120.0 Mobile Safari/537.36 Chrome-Lighthouse',
    'Mozilla/5.0 (compatible; SomethingNew/1.0; +https://crawler.example)',
    'WhatsApp/2.23.20.0',
    'Twitterbot/1.0',
  ])('%s', (agent) => expect(isBot(agent)).toBe(true));

  it.each([
    'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile Safari/604.1',
    'Mozilla/5.0 (Linux; Android 10; CUBOT X30) AppleWebKit/537.36 Chrome/100.0 Mobile Safari/537.36',
    'python-requests/2.32.3',
    'curl/8.5.0',
    'okhttp/4.12.0',
    'Go-http-client/2.0',
    'Apache-HttpClient/5.3.1 (Java/21.0.3)',
    'my-shop/1.0',
    'feedback-service/2.1',
    'Shop/3.2 CFNetwork/1410.0.3 Darwin/22.6.0',
    'Dalvik/2.1.0 (Linux; U; Android 13; Pixel 7)',
    'node',
    '',
    undefined,
  ])('not %s', (agent) => expect(isBot(agent)).toBe(false));

  it('checks only the first 512 characters', () => {
    expect(isBot(`${'x '.repeat(250)}Googlebot`)).toBe(true);
    expect(isBot(`${'x '.repeat(256)}Googlebot`)).toBe(false);
  });
});
