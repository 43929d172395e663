const MAX_CHARACTERS = 512;

/** Libraries and programs by which backends report what real visitors saw. */
const BACKENDS = [
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
];

/**
 * Makes the function that tells whether a user agent is a crawler, a preview or a headless browser. The patterns are
 * those of the isbot package. Some of them take whatever is no browser for a bot; they count only for those that
 * claim to be a browser.
 */
export function createBotCheck(patterns: readonly string[]): (userAgent: string | undefined) => boolean {
  const amongBrowsers = anyOf(patterns);
  // Made when needed: to try every pattern on every backend takes some milliseconds.
  let amongOthers: RegExp | undefined;
  return (userAgent) => {
    if (userAgent === undefined) return false;
    const start = userAgent.slice(0, MAX_CHARACTERS);
    if (start.startsWith('Mozilla/')) return amongBrowsers.test(start);
    amongOthers ??= anyOf(patterns.filter((pattern) => !matchesBackend(pattern)));
    return amongOthers.test(start);
  };
}

function matchesBackend(pattern: string): boolean {
  const expression = anyOf([pattern]);
  return BACKENDS.some((agent) => expression.test(agent));
}

const anyOf = (patterns: readonly string[]) => new RegExp(patterns.join('|'), 'i');
