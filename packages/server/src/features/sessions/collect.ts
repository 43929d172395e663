import type { IncomingHttpHeaders } from 'node:http';
import type { CollectBody } from '@switchyard/core/api/sessions';
import { eventTime } from '../../http/client-time.ts';
import type { AcceptedCollect, CollectedEvent } from '../../storage/accepted-request.ts';
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
): AcceptedCollect {
  const receivedAt = Date.now();
  const { propertyId, sessionId, visitorId, userId, attributes, events = [] } = body;
  const country = countryOf(body, headers, behindProxy);
  return {
    kind: 'collect',
    propertyId,
    receivedAt,
    sessionId,
    visitorId,
    ...(userId === undefined ? {} : { userId }),
    ...(attributes === undefined ? {} : { attributes: JSON.stringify(attributes) }),
    ...(country === undefined ? {} : { country }),
    ...parseUserAgent(headers['user-agent']),
    events: events.map((event) => acceptEvent(event, receivedAt)),
  };
}

type RequestEvent = NonNullable<CollectBody['events']>[number];

function acceptEvent(
  { type, timestamp, name, url, referrer, title, properties }: RequestEvent,
  receivedAt: number,
): CollectedEvent {
  const event: CollectedEvent = { type, ...eventTime(timestamp, receivedAt) };
  if (name !== undefined) event.name = name;
  if (url !== undefined) event.url = url;
  if (referrer !== undefined) event.referrer = referrer;
  if (title !== undefined) event.title = title;
  if (properties !== undefined) event.properties = JSON.stringify(properties);
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
