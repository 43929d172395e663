import { describe, expect, it } from 'vitest';
import { createBotCheck } from './bot-check.ts';

describe('createBotCheck', () => {
  it('applies all patterns to whatever claims to be a browser, in any case', () => {
    const isBot = createBotCheck(['crawler', 'spider', 'curl']);
    expect(isBot('Mozilla/5.0 (compatible; NewCrawler/1.0)')).toBe(true);
    expect(isBot('Mozilla/5.0 (compatible; Spider)')).toBe(true);
    expect(isBot('Mozilla/5.0 (compatible; curl)')).toBe(true);
    expect(isBot('Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0')).toBe(false);
  });

  it('ignores patterns that match the libraries of backends, unless a browser is claimed', () => {
    const isBot = createBotCheck(['^\\w+/', 'preview']);
    expect(isBot('my-shop/1.0')).toBe(false);
    expect(isBot('shop/1.0')).toBe(false);
    expect(isBot('Shop link preview')).toBe(true);
    expect(isBot('Mozilla/5.0')).toBe(true);
  });

  it.each([
    'curl/8.5.0',
    'Wget/1.21.4',
    'python-requests/2.32.3',
    'python-httpx/0.27.0',
    'Python/3.12 aiohttp/3.9.5',
    'Python-urllib/3.12',
    'node',
    'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)',
    'axios/1.7.2',
    'got (https://github.com/sindresorhus/got)',
    'Go-http-client/1.1',
    'Java-http-client/17.0.11',
    'Apache-HttpClient/4.5.14 (Java/17.0.11)',
    'okhttp/4.12.0',
    'PHP/8.3.8',
    'GuzzleHttp/7',
    'Symfony HttpClient/Curl',
    'Ruby',
    'Faraday v2.9.0',
    'libwww-perl/6.77',
    'RestSharp/111.2.0.0',
    'PostmanRuntime/7.39.0',
    'feedback-server/2',
  ])('takes the pattern of %s for no sign of a bot', (agent) => {
    const pattern = `^${agent.replaceAll(/[^\w -]/g, '.')}$`;
    expect(createBotCheck([pattern, 'a-bot'])(agent)).toBe(false);
  });

  it('looks at the first 512 characters only', () => {
    const isBot = createBotCheck(['crawler']);
    expect(isBot(`${'x'.repeat(505)}crawler`)).toBe(true);
    expect(isBot(`${'x'.repeat(506)}crawler`)).toBe(false);
  });

  it('takes a request without a user agent for no bot', () => {
    expect(createBotCheck(['.*'])(undefined)).toBe(false);
    expect(createBotCheck(['undefined'])(undefined)).toBe(false);
  });
});
