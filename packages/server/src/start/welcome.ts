import type { ServerLog } from '../platform/log/log.ts';
import type { Config } from '../platform/settings/config.ts';
import type { Beginning, FirstStart } from './first-start.ts';

interface Announcement {
  config: Pick<Config, 'dataDir' | 'publicUrl'>;
  firstStart: FirstStart;
  /** Undefined once the first event has arrived. */
  beginning: Beginning | undefined;
  /** The address that the server listens on. */
  url: string;
  version: string;
}

/** Prints the address and new keys, and until the first event has arrived how to begin. */
export function announce(serverLog: ServerLog, announcement: Announcement): void {
  const { config, firstStart, beginning, url, version } = announcement;
  const { notices, isPretty } = serverLog;
  // A space and more words after the URL, so that scripts can extract it from the JSON line too.
  notices.info(`Switchyard ${version} is listening on ${url} (data in ${config.dataDir})`);
  announceKeys(serverLog, firstStart);
  if (!beginning) return;
  const shownUrl = config.publicUrl ?? url;
  if (isPretty && firstStart.demo) notices.info(firstSteps(firstStart, shownUrl));
  notices.info(howToBegin(beginning, shownUrl));
}

function howToBegin({ hasDemo, hasOwner }: Beginning, url: string): string {
  const owner = hasOwner ? 'an owner exists' : 'without an owner yet: create the account there';
  const toTry = hasDemo ? ' The property "demo" is ready to try.' : '';
  return `No event has arrived yet.${toTry} Dashboard: ${url} (${owner}). How to begin: ${url}/docs/getting-started/property`;
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
`;
}
