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

  // One of each kind of program; the list of all is data.
  it.each(['curl/8.5.0', 'python-requests/2.32.3', 'okhttp/4.12.0', 'Ruby', 'feedback-server/2'])(
    'takes the pattern of %s for no sign of a bot',
    (agent) => {
      const pattern = `^${agent.replaceAll(/[^\w -]/g, '.')}$`;
      expect(createBotCheck([pattern, 'a-bot'])(agent)).toBe(false);
    },
  );

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
