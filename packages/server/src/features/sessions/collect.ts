import type { IncomingHttpHeaders } from 'node:http';
import type { CollectBody } from '@switchyard/core/api/sessions';
import { isCookieless } from '@switchyard/core/cleaning/cookieless';
import type { Cleaner } from '@switchyard/core/cleaning/create-cleaner';
import type { AcceptedCollect, CollectedEvent } from '../../events/store/accepted-request.ts';
import { eventTime } from '../../http/contract/client-time.ts';
import { parseUserAgent } from './user-agent.ts';

/** Headers in which common proxies send the visitor's country. */
const COUNTRY_HEADERS = [
  'cf-ipcountry',
  'cloudfront-viewer-country',
  'x-vercel-ip-country',
  'x-country-code',
];

export function acceptCollect(
  body: CollectBody,
  headers: IncomingHttpHeaders,
  behindProxy: boolean,
  cleaner: Cleaner,
): AcceptedCollect {
  const receivedAt = Date.now();
  const { propertyId, sessionId, visitorId, userId, attributes, events = [] } = body;
  const country = countryOf(body, headers, behindProxy);
  const keepsUsers = cleaner.keepsUsers && !isCookieless(sessionId);
  return {
    kind: 'collect',
    propertyId,
    receivedAt,
    sessionId,
    visitorId,
    ...(userId === undefined || !keepsUsers ? {} : { userId }),
    ...(attributes === undefined ? {} : { attributes: cleaner.json(attributes) }),
    ...(country === undefined ? {} : { country }),
    ...parseUserAgent(headers['user-agent']),
    events: events
      .filter(({ type }) => type !== 'identify' || keepsUsers)
      .map((event) => acceptEvent(event, receivedAt, cleaner)),
  };
}

type RequestEvent = NonNullable<CollectBody['events']>[number];

function acceptEvent(
  { type, timestamp, name, url, referrer, title, properties }: RequestEvent,
  receivedAt: number,
  cleaner: Cleaner,
): CollectedEvent {
  const event: CollectedEvent = { type, ...eventTime(timestamp, receivedAt) };
  if (name !== undefined) event.name = name;
  if (url !== undefined) event.url = cleaner.url(url);
  if (referrer !== undefined) event.referrer = cleaner.referrer(referrer);
  if (title !== undefined) event.title = cleaner.text(title);
  if (properties !== undefined) event.properties = cleaner.json(properties);
  return event;
}

function countryOf(
  { attributes }: CollectBody,
  headers: IncomingHttpHeaders,
  behindProxy: boolean,
): string | undefined {
  const header = behindProxy ? COUNTRY_HEADERS.find((name) => headers[name] !== undefined) : undefined;
  const country = header === undefined ? attributes?.country : headers[header];
  return typeof country === 'string' && /^[A-Za-z]{2}$/.test(country) ? country.toUpperCase() : undefined;
}
