import { compileFlags } from '../../packages/core/dist/evaluation/flags.js';
import { call } from './management-client.js';
import { Random } from './random.js';
import { attributesOf, createVisitor } from './visitors.js';

const VISITORS = 300;
const EVALUATIONS_PER_VISITOR = 12;
/** When the last code that asks for it was removed. */
const UNUSED = { key: 'legacy-cart', daysAgo: 41 };

const regex = (pattern, caseInsensitive) => {
  const expression = new RegExp(pattern, caseInsensitive ? 'i' : '');
  return (text) => expression.test(text);
};

/** The flags that code asked for at that time. */
export const usedFlags = (flags, daysAgo) =>
  flags.filter(({ key }) => key !== UNUSED.key || daysAgo > UNUSED.daysAgo);

/** What the backend knows about some visitors. */
export function backendContexts(seed, now) {
  return Array.from({ length: VISITORS }, (_, number) => {
    const visitor = createVisitor(seed, number, now);
    const { id: visitorId, userId } = visitor;
    const random = new Random(seed, -number);
    const domain = random.chance(0.03) ? 'example.com' : 'mail.example';
    return {
      visitorId,
      ...attributesOf(visitor),
      ...(userId && { userId, email: `${userId}@${domain}` }),
      ...(random.chance(0.3) && { appVersion: random.pick(['3.0.4', '3.1.0', '3.2.1', '3.3.0']) }),
    };
  });
}

/** Evaluates all flags for the contexts and reports the counts, as a backend with the Node SDK does. */
export async function reportUsage(url, secretKey, { configuration, contexts, environment, daysAgo }) {
  const definitions = usedFlags(configuration.flags, daysAgo).map(({ environments, ...flag }) => ({
    ...flag,
    configuration: environments[environment],
  }));
  const set = compileFlags(definitions, configuration.segments, { regex });
  const counts = new Map();
  for (const context of contexts) {
    set.eachOutcome(context, ({ key: flagKey, evaluation: { value } }) => {
      const key = JSON.stringify([flagKey, value]);
      counts.set(key, (counts.get(key) ?? 0) + EVALUATIONS_PER_VISITOR);
    });
  }
  const entries = [...counts].map(([key, count]) => {
    const [flagKey, value] = JSON.parse(key);
    return { flagKey, value, count };
  });
  const body = { propertyId: 'shop', environment, counts: entries };
  await call(url, 'POST', '/v1/flags/usage', { body, headers: { 'x-api-key': secretKey } });
}
