import type { FirstStart } from './first-start.ts';

export function newKeys({ generatedKeys }: FirstStart): string {
  const keys = generatedKeys.map(
    ({ propertyId, kind, name, text }) => `  ${propertyId}  ${kind}  ${name}  ${text}`,
  );
  return `New API keys (shown only once):\n\n${keys.join('\n')}\n`;
}

const keyOf = (keys: FirstStart['generatedKeys'], kind: string) =>
  keys.find((key) => key.kind === kind)?.text ?? '';

/** Commands to paste for a first try. */
export function firstSteps({ generatedKeys }: FirstStart, url: string): string {
  const publicKey = keyOf(generatedKeys, 'public');
  const secretKey = keyOf(generatedKeys, 'secret');
  const post = (path: string, key: string, body: object) =>
    `curl -sS ${url}${path} -H 'content-type: application/json' -H 'x-api-key: ${key}' \\\n  -d '${JSON.stringify(body)}'`;
  const get = (path: string, key: string) => `curl -sS '${url}${path}' -H 'x-api-key: ${key}'`;
  const session = { propertyId: 'demo', sessionId: 'my-first-session' };
  return `
The property "demo" is ready to try. First, as a browser: fetch the running tests, then record an exposure to the variation "friendly".

${get('/v1/split-testing/config?propertyId=demo', publicKey)}

${post('/v1/split-testing/expose', publicKey, {
  propertyId: 'demo',
  exposures: [{ splitTestKey: 'buy-button', variationKey: 'friendly', sessionId: 'my-first-session' }],
})}

Then, as your server: record a purchase, evaluate the flags, and list the sessions.

${post('/v1/goals/increment', secretKey, { ...session, goalId: 'revenue', amount: 19.9 })}

${post('/v1/flags/evaluate', secretKey, { propertyId: 'demo', context: { email: 'ada@example.com' } })}

${get('/v1/sessions?propertyId=demo', secretKey)}

API reference: ${url}/docs
`;
}
