import type { FirstStart } from './first-start.ts';

export function newKeys({ generatedKeys }: FirstStart): string {
  const keys = generatedKeys.map(
    ({ propertyId, kind, name, text }) => `  ${propertyId}  ${kind}  ${name}  ${text}`,
  );
  return `New API keys, shown this once:\n\n${keys.join('\n')}\n`;
}

const keyOf = (keys: FirstStart['generatedKeys'], kind: string) =>
  keys.find((key) => key.kind === kind)?.text ?? '';

/** What a newcomer may paste to see it work. */
export function firstSteps({ generatedKeys }: FirstStart, url: string): string {
  const publicKey = keyOf(generatedKeys, 'public');
  const secretKey = keyOf(generatedKeys, 'secret');
  const post = (path: string, key: string, body: object) =>
    `curl -sS ${url}${path} -H 'content-type: application/json' -H 'x-api-key: ${key}' \\\n  -d '${JSON.stringify(body)}'`;
  const get = (path: string, key: string) => `curl -sS '${url}${path}' -H 'x-api-key: ${key}'`;
  const session = { propertyId: 'demo', sessionId: 'my-first-session' };
  return `
The property "demo" is there to be tried. As a browser would: what is being tested, and I was shown the variation "friendly".

${get('/v1/split-testing/config?propertyId=demo', publicKey)}

${post('/v1/split-testing/expose', publicKey, {
  propertyId: 'demo',
  exposures: [{ splitTestKey: 'buy-button', variationKey: 'friendly', sessionId: 'my-first-session' }],
})}

As your server would: that visitor paid, is a flag on, and what happened in the session.

${post('/v1/goals/increment', secretKey, { ...session, goalId: 'revenue', amount: 19.9 })}

${post('/v1/flags/evaluate', secretKey, { propertyId: 'demo', context: { email: 'ada@example.com' } })}

${get('/v1/sessions?propertyId=demo', secretKey)}

Everything else: ${url}/docs
`;
}
