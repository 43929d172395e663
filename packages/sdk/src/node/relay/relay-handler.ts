import { readRequest } from '../request-facts.ts';
import { isOwnOrigin } from './own-origin.ts';
import { networkOf, RateLimit } from './rate-limit.ts';
import { readJsonText } from './relay-body.ts';
import type { RelayClient } from './relay-client.ts';
import { createRelayConversions } from './relay-conversions.ts';
import { RelayEvents } from './relay-events.ts';
import { createRelayFlags } from './relay-flags.ts';
import type { RelaySettings } from './relay-options.ts';
import { routeOf } from './relay-path.ts';
import { problemResponse, RelayProblem, unavailable } from './relay-problem.ts';
import type { RelayCall, RelayRequest } from './relay-request.ts';
import type { RelayResponse } from './relay-response.ts';
import { sendScript } from './relay-scripts.ts';
import { Slots } from './slots.ts';

/** As the service: a larger batch of events would be lost. */
export const MAX_EVENT_BYTES = 1024 * 1024;
const MAX_BODY_BYTES = 128 * 1024;

/** `undefined` if the URL is not one of the relay. Never rejects. */
export type RelayHandler = (request: RelayRequest) => Promise<RelayResponse | undefined>;

interface Route {
  method: 'GET' | 'POST';
  /** Matches the path below that of the relay. */
  path: RegExp;
  maxBytes?: number;
  handle(call: RelayCall, match: RegExpExecArray): Promise<RelayResponse>;
}

/** Requests without a known address share a quota that is this many times as large as that of an address. */
const UNKNOWN_ADDRESSES = 10;

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

export function createRelayHandler(settings: RelaySettings, client: RelayClient): RelayHandler {
  const { limits } = settings;
  const routes = createRoutes(settings, client);
  const addressLimit = new RateLimit(limits.perAddress);
  const sharedLimit = new RateLimit(limits.perAddress * UNKNOWN_ADDRESSES, 1);
  const sessionLimit = new RateLimit(limits.perSession);

  const isWithinLimits = (address: string | undefined, sessionId: string | undefined) =>
    (address === undefined ? sharedLimit.take('') : addressLimit.take(networkOf(address))) &&
    sessionLimit.take(sessionId);

  const respond = async (route: Route, match: RegExpExecArray, request: RelayRequest) => {
    if (!isOwnOrigin(request, settings.origins)) throw new RelayProblem('cross_origin');
    const visitorAddress = addressOf(request, settings, client);
    const { sessionId } = readRequest(request.original);
    if (!isWithinLimits(visitorAddress, sessionId)) {
      throw new RelayProblem('rate_limited', { headers: { 'retry-after': '1' } });
    }
    // Before the request takes a slot: a client may send its body slowly.
    const { maxBytes = MAX_BODY_BYTES } = route;
    const text = route.method === 'POST' ? await readJsonText(request, maxBytes) : '';
    if (client.isClosed()) throw unavailable('1');
    return route.handle({ ...request, text, visitorAddress }, match);
  };

  return async (request) => {
    const path = routeOf(request, settings.path);
    if (path === undefined) return undefined;
    const found = routes.flatMap((route) => {
      const match = route.path.exec(path);
      return match ? [{ route, match }] : [];
    })[0];
    if (!found) return undefined;
    const { route, match } = found;
    let response: RelayResponse;
    try {
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      if (method !== route.method) {
        throw new RelayProblem('method_not_allowed', { headers: { allow: route.method } });
      }
      response = await respond(route, match, request);
    } catch (error) {
      response = problemResponse(asProblem(error, client));
    }
    return { ...response, headers: { ...SECURITY_HEADERS, ...response.headers } };
  };
}

function createRoutes(settings: RelaySettings, client: RelayClient): Route[] {
  const { propertyId, respectPrivacySignals } = client.settings;
  const flags = createRelayFlags({ ...client, settings, propertyId, respectPrivacySignals });
  const conversions = createRelayConversions({ ...client, settings, propertyId, respectPrivacySignals });
  const { concurrency } = settings.limits;
  // Of their own: `context`, or a service that evaluates remotely, may take long.
  const slots = new Slots(concurrency);
  const routes: Route[] = [
    {
      method: 'POST',
      path: /^v1\/flags\/evaluate$/,
      handle: (call) => slots.run(() => flags.evaluate(call)),
    },
    {
      method: 'POST',
      path: /^ofrep\/v1\/evaluate\/flags(?:\/([^/]+))?$/,
      handle: (call, [, key]) => slots.run(() => flags.ofrep(call, key)),
    },
    // Bounded by the queue of the client.
    { method: 'POST', path: /^v1\/goals\/increment$/, handle: conversions.increment },
    { method: 'POST', path: /^v1\/feedback\/submit$/, handle: conversions.submit },
    {
      method: 'GET',
      path: /^(sdk(?:-debug|-audience(?:-values)?)?\.js)$/,
      handle: (call, [, name]) => sendScript(name!, call),
    },
  ];
  if (!settings.events) return routes;
  const { trustCountryHeaders } = settings;
  const events = new RelayEvents({ ...client, slots: new Slots(concurrency), trustCountryHeaders });
  return [
    ...routes,
    {
      method: 'GET',
      path: /^v1\/split-testing\/config$/,
      handle: (call) => events.config(call),
    },
    {
      method: 'POST',
      path: /^(v1\/split-testing\/expose|v1\/sessions\/collect)$/,
      maxBytes: MAX_EVENT_BYTES,
      handle: (call, [, path]) => events.post(`/${path}`, call),
    },
  ];
}

function addressOf(
  request: RelayRequest,
  { clientAddress }: RelaySettings,
  { reporter }: RelayClient,
): string | undefined {
  if (clientAddress) {
    try {
      return clientAddress(request.original) || request.address;
    } catch (error) {
      reporter.problem({ code: 'relay_address_failed', message: `\`clientAddress\` failed: ${error}` });
      return request.address;
    }
  }
  if (!request.isAddressForwarded && request.header('x-forwarded-for') !== undefined) {
    reporter.misuse(
      'The relay is behind a proxy and does not know the addresses of visitors. Set `trust proxy` (Express) or `trustProxy` (Fastify), or pass `clientAddress` to the relay.',
    );
  }
  return request.address;
}

function asProblem(error: unknown, { reporter }: RelayClient): RelayProblem {
  if (error instanceof RelayProblem) return error;
  reporter.problem({ code: 'relay_failed', message: `The relay could not handle a request: ${error}` });
  return new RelayProblem('internal_error');
}
