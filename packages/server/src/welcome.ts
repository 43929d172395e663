import type { Config } from './config.ts';
import type { FirstStart } from './first-start.ts';
import type { ServerLog } from './log.ts';

interface Announcement {
  config: Pick<Config, 'dataDir' | 'publicUrl'>;
  firstStart: FirstStart;
  /** The address that the server listens on. */
  url: string;
  version: string;
}

/** Prints the address, and after the first start the new keys and how to try them. */
export function announce(serverLog: ServerLog, { config, firstStart, url, version }: Announcement): void {
  const { notices, isPretty } = serverLog;
  // A space and more words after the URL, so that scripts can extract it from the JSON line too.
  notices.info(`Switchyard ${version} is listening on ${url} (data in ${config.dataDir})`);
  announceKeys(serverLog, firstStart);
  if (!firstStart.demo) return;
  const shownUrl = config.publicUrl ?? url;
  notices.info(
    isPretty
      ? firstSteps(firstStart, shownUrl)
      : `The property "demo" is ready to try; ${shownUrl}/docs shows how`,
  );
}

export function announceKeys({ notices }: ServerLog, { generatedKeys }: FirstStart): void {
  for (const { propertyId, kind, name, text } of generatedKeys) {
    notices.info({ propertyId, kind, name, key: text }, 'New API key (shown only once)');
  }
}

const keyOf = (keys: FirstStart['generatedKeys'], kind: string) =>
  keys.find((key) => key.kind === kind)?.text ?? '';

/** Commands to paste for a first try. */
function firstSteps({ generatedKeys }: FirstStart, url: string): string {
  const publicKey = keyOf(generatedKeys, 'public');
  const secretKey = keyOf(generatedKeys, 'secret');
  const post = (path: string, key: string, body: object) =>
    `curl -sS ${url}${path} -H 'content-type: application/json' -H 'x-api-key: ${key}' \\\n  -d '${JSON.stringify(body)}'`;
  const get = (path: string, key: string) => `curl -sS '${url}${path}' -H 'x-api-key: ${key}'`;
  const session = { propertyId: 'demo', sessionId: 'my-first-session' };
  return `The property "demo" is ready to try. First, as a browser: fetch the running tests, then record an exposure to the variation "friendly".

${get('/v1/split-testing/config?propertyId=demo', publicKey)}

${post('/v1/split-testing/expose', publicKey, {
  propertyId: 'demo',
  exposures: [{ splitTestKey: 'buy-button', variationKey: 'friendly', sessionId: 'my-first-session' }],
})}

Then, as your server: record a purchase, evaluate the flags, and list the sessions.

${post('/v1/goals/increment', secretKey, { ...session, goalId: 'revenue', amount: 19.9 })}

${post('/v1/flags/evaluate', secretKey, { propertyId: 'demo', context: { email: 'ada@example.com' } })}

${get('/v1/sessions?propertyId=demo', secretKey)}

Documentation: ${url}/docs
`;
}
