import { AUDIENCE_COOKIE, AUDIENCE_SECONDS } from '../../client/audience-cookie.ts';
import type { SplitTests } from '../../client/browser-client.ts';
import {
  FIXED_VISITOR_SECONDS,
  newId,
  SESSION_COOKIE,
  SESSION_IDLE_SECONDS,
  VISITOR_COOKIE,
  VISITOR_SECONDS,
} from '../../client/identity.ts';
import type { AnySchema, SwitchyardSchema } from '../../client/schema.ts';
import { type Bootstrap, type Choice, choose, type SplitTestDefinition } from '../../client/split-tests.ts';
import { narrateAssignment } from '../../narration/narrate-assignment.ts';
import type { DeliveryQueue } from '../delivery/delivery-queue.ts';
import type { Settings } from '../options.ts';
import type { Reporter } from '../reporter.ts';
import { queryOf, type RequestFacts, readRequest } from '../request-facts.ts';
import { bootstrapScript } from './bootstrap-script.ts';
import type { ExposureMemory } from './exposure-memory.ts';
import { isBot } from './is-bot.ts';
import { RequestAudiences } from './request-audiences.ts';
import type { Definitions, SplitTestDefinitions } from './split-test-definitions.ts';

export interface RequestSplitTestOptions {
  /**
   * `false`: tests return their fallback, nothing is recorded and no cookies are set. The same holds for requests with
   * Global Privacy Control or Do Not Track; with `respectPrivacySignals: false`, only `true` allows them to take part.
   */
  consent?: boolean | undefined;
  /**
   * The user who is signed in. Ties the session to the user, and decides in tests with the unit `user`: the user gets
   * the same variation on all devices. Pass it whenever you know it, because a request without it is assigned by visitor.
   */
  userId?: string | undefined;
  /** Attributes of the visitor, for audiences; sent with the exposures. */
  attributes?: Record<string, unknown> | undefined;
}

/** The split tests of one request, assigned exactly as in the browser. */
export interface RequestSplitTests<Schema extends SwitchyardSchema = AnySchema>
  extends Pick<SplitTests<Schema>, 'get' | 'peek' | 'assignments'> {
  /** From the cookie of the request, or a new id; `undefined` without consent. */
  readonly visitorId: string | undefined;
  readonly sessionId: string | undefined;
  /**
   * Passes ids and definitions to the browser client; `null` without consent. Read it after the tests, because it
   * lists the exposures that have already been recorded.
   */
  readonly bootstrap: Bootstrap | null;
  /** The bootstrap as a script element; place it before the SDK. Empty without consent. */
  script(nonce?: string): string;
  /**
   * `Set-Cookie` values for the response; empty without consent. Read it after the tests: it has a cookie for those with an
   * audience that the visitor was exposed to, so that changed attributes move nobody.
   */
  readonly setCookie: string[];
}

export interface SplitTestServices {
  settings: Settings;
  definitions: SplitTestDefinitions;
  queue: DeliveryQueue;
  memory: ExposureMemory;
  reporter: Reporter;
}

export async function splitTestsForRequest(
  request: unknown,
  options: RequestSplitTestOptions | undefined,
  services: SplitTestServices,
): Promise<RequestSplitTests> {
  const facts = readRequest(request);
  const refusal = refusalOf(facts, options?.consent, services.settings);
  if (refusal !== undefined) {
    services.reporter.narrate(`${refusal}: split tests return their fallback, and nothing is recorded`);
    return withoutConsent();
  }
  const visitorId = facts.visitorId ?? newId();
  const sessionId = facts.sessionId ?? newId();
  const userId = services.settings.preset ? undefined : userIdOf(options?.userId, services.reporter);
  // A new session of a known visitor, whose conversions belong to exposures in earlier sessions.
  if (facts.visitorId && !facts.sessionId) linkSession({ visitorId, sessionId, userId, facts }, services);
  const definitions = await services.definitions.get();
  return withAssignments(
    { visitorId, sessionId, userId, facts, definitions, attributes: options?.attributes },
    services,
  );
}

/** Why the visitor does not take part, if so. */
export function refusalOf(
  facts: RequestFacts,
  consent: boolean | undefined,
  { respectPrivacySignals }: Pick<Settings, 'respectPrivacySignals'>,
): string | undefined {
  if (consent === false) return 'no consent';
  const isAllowed = !facts.private || (consent === true && !respectPrivacySignals);
  return isAllowed ? undefined : 'Global Privacy Control or Do Not Track';
}

/** Only what the service accepts: anything else would spoil the request that links the session. */
function userIdOf(userId: unknown, reporter: Reporter): string | undefined {
  if (userId === undefined || userId === null || userId === '') return undefined;
  if (typeof userId === 'string' && userId.length <= MAX_USER_ID) return userId;
  reporter.misuse(`The user id is ignored: it must be a string of at most ${MAX_USER_ID} characters.`);
  return undefined;
}

/** Tells the service whose session it is, once per process, and again when the user signs in. */
function linkSession(
  { visitorId, sessionId, userId, facts }: Pick<Visit, 'visitorId' | 'sessionId' | 'userId' | 'facts'>,
  { queue, memory }: SplitTestServices,
): void {
  if (memory.isNewLink(sessionId, userId, Date.now())) {
    queue.collect({ sessionId, visitorId, userId }, facts.userAgent);
  }
}

interface Visit {
  visitorId: string;
  sessionId: string;
  userId: string | undefined;
  facts: RequestFacts;
  definitions: Definitions;
  attributes: Record<string, unknown> | undefined;
}

function withAssignments(visit: Visit, services: SplitTestServices): RequestSplitTests {
  const { settings, queue, memory, reporter } = services;
  const { visitorId, sessionId, userId, facts, attributes } = visit;
  const { config, fetchedAt } = visit.definitions;
  const query = queryOf(facts.url);
  const fromBot = isBot(facts.userAgent);
  const audiences = new RequestAudiences({ facts, attributes, ids: { visitorId, sessionId, userId } });
  const targeted = config.tests.filter(({ audience }) => audience);
  const choices = new Map<string, Choice | undefined>();
  const choiceForTest = (test: SplitTestDefinition): Choice | undefined => {
    if (!choices.has(test.key)) {
      const input = {
        userId,
        previewKey: query.get(`sy_${test.key}`),
        holdout: config.holdout,
        isOutside: !audiences.includes(test),
      };
      const choice = choose(test, { visitorId, ...input });
      choices.set(test.key, choice);
      if (choice && reporter.isNarrating) {
        const { words } = narrateAssignment(test, visitorId, { ...input, isInAudience: !input.isOutside });
        const unit = test.unit === 'user' && userId ? `user ${userId}` : `visitor ${visitorId}`;
        reporter.narrate(`split test ${test.key} for ${unit}: ${choice.variationKey}, ${words}`);
      }
    }
    return choices.get(test.key);
  };
  const choiceFor = (testKey: string): Choice | undefined => {
    const test = config.tests.find(({ key }) => key === testKey);
    if (test) return choiceForTest(test);
    if (fetchedAt === 0) reporter.narrate(`split test ${testKey}: fallback, the definitions are not loaded`);
    else
      reporter.misuse(`The split test "${testKey}" is not running or does not exist: its fallback is used.`);
    return undefined;
  };
  const record = ({ testKey, variationKey, phase }: Choice): void => {
    const timestamp = Date.now();
    // Not before something is recorded: crawlers have no cookies, and would create a session per request.
    linkSession(visit, services);
    const test = config.tests.find(({ key }) => key === testKey);
    if (test) audiences.remember(test);
    if (!memory.isFirst({ sessionId, testKey, variationKey, phase, timestamp })) return;
    queue.expose({
      splitTestKey: testKey,
      variationKey,
      sessionId,
      timestamp,
      ...(phase === undefined ? {} : { phase }),
      // The service sees the user agent of this server, not that of the visitor.
      ...(fromBot ? { bot: true } : {}),
      ...(isSendable(attributes) ? { attributes } : {}),
    });
  };
  const bootstrap = (): Bootstrap => ({
    propertyId: settings.propertyId,
    visitorId,
    sessionId,
    ...(userId === undefined ? {} : { userId }),
    config,
    fetchedAt,
    exposed: memory.exposed(sessionId),
    ...(targeted.length > 0 && {
      audiences: Object.fromEntries(targeted.map((test) => [test.key, audiences.includes(test)])),
    }),
  });
  // Untyped here: the public types depend on the schema.
  const tests = {
    visitorId,
    sessionId,
    get(testKey: string, fallback: unknown): unknown {
      const choice = choiceFor(testKey);
      if (!choice) return fallback;
      if (choice.included) record(choice);
      return choice.value;
    },
    peek(testKey: string, fallback: unknown): unknown {
      const choice = choiceFor(testKey);
      return choice ? choice.value : fallback;
    },
    assignments: () => config.tests.map(choiceForTest).filter((choice) => choice !== undefined),
    get bootstrap() {
      return bootstrap();
    },
    script: (nonce?: string) => bootstrapScript(bootstrap(), nonce),
    get setCookie() {
      return cookiesFor(visit, settings, audiences.cookie);
    },
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

function cookiesFor(
  { visitorId, sessionId, facts }: Visit,
  { cookies, preset }: Settings,
  audiences: string | undefined,
): string[] {
  const domain = cookies.domain ? `; Domain=${cookies.domain}` : '';
  const secure = (cookies.secure ?? facts.secure) ? '; Secure' : '';
  const attributes = `; Path=/; SameSite=Lax${domain}${secure}`;
  const session = `${SESSION_COOKIE}=${sessionId}; Max-Age=${SESSION_IDLE_SECONDS}${attributes}`;
  const kept =
    audiences === undefined
      ? []
      : [`${AUDIENCE_COOKIE}=${audiences}; Max-Age=${AUDIENCE_SECONDS}${attributes}`];
  // Its lifetime must not be prolonged.
  if (preset && facts.visitorId) return [session, ...kept];
  const seconds = preset ? FIXED_VISITOR_SECONDS : VISITOR_SECONDS;
  return [`${VISITOR_COOKIE}=${visitorId}; Max-Age=${seconds}${attributes}`, session, ...kept];
}

const MAX_ATTRIBUTE_BYTES = 8192;
const MAX_USER_ID = 256;

/** The service rejects a whole batch if the attributes of one exposure are invalid. */
function isSendable(attributes: unknown): attributes is Record<string, unknown> {
  if (typeof attributes !== 'object' || attributes === null || Array.isArray(attributes)) return false;
  try {
    return new TextEncoder().encode(JSON.stringify(attributes)).length <= MAX_ATTRIBUTE_BYTES;
  } catch {
    return false;
  }
}
