import { isBot } from '@switchyard/core/evaluation/bots';
import type { SplitTests } from '../../client/browser-client.ts';
import {
  newId,
  SESSION_COOKIE,
  SESSION_IDLE_SECONDS,
  VISITOR_COOKIE,
  VISITOR_SECONDS,
} from '../../client/identity.ts';
import type { AnySchema, SwitchyardSchema } from '../../client/schema.ts';
import { type Bootstrap, type Choice, choose, type SplitTestDefinition } from '../../client/split-tests.ts';
import type { DeliveryQueue } from '../delivery-queue.ts';
import type { Settings } from '../options.ts';
import { queryOf, type RequestFacts, readRequest } from '../request-facts.ts';
import { bootstrapScript } from './bootstrap-script.ts';
import type { ExposureMemory } from './exposure-memory.ts';
import type { Definitions, SplitTestDefinitions } from './split-test-definitions.ts';

export interface RequestSplitTestOptions {
  /** `false`: fallbacks are shown, nothing is recorded, no cookies are set. */
  consent?: boolean | undefined;
  /** Attributes of the visitor that go with the exposures. */
  attributes?: Record<string, unknown> | undefined;
}

/** The split tests of one request; assigned exactly as the browser would. */
export interface RequestSplitTests<Schema extends SwitchyardSchema = AnySchema>
  extends Pick<SplitTests<Schema>, 'get' | 'peek' | 'assignments'> {
  /** From the cookie of the request, else new; `undefined` without consent. */
  readonly visitorId: string | undefined;
  readonly sessionId: string | undefined;
  /**
   * What the browser part needs to go on with the same ids and definitions; `null` without consent. Take it after the
   * tests were read, since it tells which exposures are recorded already.
   */
  readonly bootstrap: Bootstrap | null;
  /** The bootstrap as a script element, to be put before the SDK; empty without consent. */
  script(nonce?: string): string;
  /** Values of `Set-Cookie` to send with the answer; none without consent, or for who asks not to be tracked. */
  readonly setCookie: string[];
}

export interface SplitTestParts {
  settings: Settings;
  definitions: SplitTestDefinitions;
  queue: DeliveryQueue;
  memory: ExposureMemory;
}

export async function splitTestsForRequest(
  request: unknown,
  options: RequestSplitTestOptions | undefined,
  parts: SplitTestParts,
): Promise<RequestSplitTests> {
  if (options?.consent === false) return withoutConsent();
  const facts = readRequest(request);
  const kept = facts.private ? undefined : facts;
  const visitorId = kept?.visitorId ?? newId();
  const sessionId = kept?.sessionId ?? newId();
  if (!kept?.visitorId || !kept.sessionId) parts.queue.collect(sessionId, visitorId, facts.userAgent);
  const found = await parts.definitions.get();
  return assigned({ visitorId, sessionId, facts, found, attributes: options?.attributes }, parts);
}

interface Visit {
  visitorId: string;
  sessionId: string;
  facts: RequestFacts;
  found: Definitions;
  attributes: Record<string, unknown> | undefined;
}

function assigned(visit: Visit, { settings, queue, memory }: SplitTestParts): RequestSplitTests {
  const { visitorId, sessionId, facts, found, attributes } = visit;
  const query = queryOf(facts.url);
  const fromBot = isBot(facts.userAgent);
  const chosen = new Map<string, Choice | undefined>();
  const choiceIn = (test: SplitTestDefinition): Choice | undefined => {
    if (!chosen.has(test.key)) {
      const previewKey = query.get(`sy_${test.key}`);
      chosen.set(test.key, choose(test, { visitorId, previewKey, holdout: found.config.holdout }));
    }
    return chosen.get(test.key);
  };
  const choiceOf = (testKey: string): Choice | undefined => {
    const test = found.config.tests.find(({ key }) => key === testKey);
    return test && choiceIn(test);
  };
  const record = ({ testKey, variationKey, phase }: Choice): void => {
    const timestamp = Date.now();
    if (!memory.isFirst({ sessionId, testKey, variationKey, phase, timestamp })) return;
    queue.expose({
      splitTestKey: testKey,
      variationKey,
      sessionId,
      timestamp,
      ...(phase === undefined ? {} : { phase }),
      // The service sees our user agent, not that of the visitor.
      ...(fromBot ? { bot: true } : {}),
      ...(isSendable(attributes) ? { attributes } : {}),
    });
  };
  const bootstrap = (): Bootstrap => ({
    propertyId: settings.propertyId,
    visitorId,
    sessionId,
    config: found.config,
    fetchedAt: found.fetchedAt,
    exposed: memory.exposed(sessionId),
  });
  // The public types follow the schema; here, any value may come out.
  const tests = {
    visitorId,
    sessionId,
    get(testKey: string, fallback: unknown): unknown {
      const choice = choiceOf(testKey);
      if (!choice) return fallback;
      if (choice.included) record(choice);
      return choice.value;
    },
    peek(testKey: string, fallback: unknown): unknown {
      const choice = choiceOf(testKey);
      return choice ? choice.value : fallback;
    },
    assignments: () => found.config.tests.map(choiceIn).filter((choice) => choice !== undefined),
    get bootstrap() {
      return bootstrap();
    },
    script: (nonce?: string) => bootstrapScript(bootstrap(), nonce),
    setCookie: facts.private ? [] : cookiesFor(visit, settings),
  };
  return tests as RequestSplitTests;
}

function withoutConsent(): RequestSplitTests {
  const tests = {
    visitorId: undefined,
    sessionId: undefined,
    get: (_testKey: string, fallback: unknown) => fallback,
    peek: (_testKey: string, fallback: unknown) => fallback,
    assignments: () => [],
    bootstrap: null,
    script: () => '',
    setCookie: [],
  };
  return tests as unknown as RequestSplitTests;
}

function cookiesFor({ visitorId, sessionId, facts }: Visit, { cookies }: Settings): string[] {
  const domain = cookies.domain ? `; Domain=${cookies.domain}` : '';
  const secure = (cookies.secure ?? facts.secure) ? '; Secure' : '';
  const attributes = `; Path=/; SameSite=Lax${domain}${secure}`;
  return [
    `${VISITOR_COOKIE}=${visitorId}; Max-Age=${VISITOR_SECONDS}${attributes}`,
    `${SESSION_COOKIE}=${sessionId}; Max-Age=${SESSION_IDLE_SECONDS}${attributes}`,
  ];
}

const MAX_ATTRIBUTE_BYTES = 8192;

/** One exposure with attributes that the service refuses would take its whole batch with it. */
function isSendable(attributes: unknown): attributes is Record<string, unknown> {
  if (typeof attributes !== 'object' || attributes === null || Array.isArray(attributes)) return false;
  try {
    return new TextEncoder().encode(JSON.stringify(attributes)).length <= MAX_ATTRIBUTE_BYTES;
  } catch {
    return false;
  }
}
