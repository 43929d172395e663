import { join } from 'node:path';
import { createVisitor } from './visitors.js';
import { planVisit } from './visits.js';

const BATCH_REQUESTS = 10_000;
const PROPERTY = { propertyId: 'shop' };
const PAGE_EVENTS = ['pageview', 'event', 'identify'];

/**
 * Simulates all visits until now and stores them in the event store of a stopped server. The API takes browser times
 * of the last three days only, so this uses `append`, the path behind the journal.
 */
export async function fillStore(dataDir, { seed, visitors, now, tests }) {
  const requests = [];
  for (let number = 0; number < visitors; number++) {
    const visitor = createVisitor(seed, number, now);
    for (const at of visitor.visits) addRequests(requests, planVisit(visitor, at, tests), now);
  }
  requests.sort((a, b) => a.receivedAt - b.receivedAt);
  await append(join(dataDir, 'events.duckdb'), requests);
  return { sessions: requests.filter(({ kind }) => kind === 'collect').length };
}

async function append(file, requests) {
  const { openDuckDbEventStore } = await import('../../packages/server/dist/duckdb-event-store.cjs');
  const store = await openDuckDbEventStore(file);
  const last = await store.watermark('local');
  for (let start = 0; start < requests.length; start += BATCH_REQUESTS) {
    const batch = requests.slice(start, start + BATCH_REQUESTS);
    await store.append(
      'local',
      batch.map((request, i) => ({ seq: last + start + i + 1, request })),
    );
  }
  await store.close();
}

/** Adds a visit as the requests that the server would have accepted so far. */
function addRequests(requests, visit, now) {
  const happened = visit.events.filter(({ at }) => at <= now);
  const onPages = happened.filter(({ type }) => PAGE_EVENTS.includes(type));
  requests.push(collectRequest(visit, onPages));
  for (const event of happened) {
    if (event.type === 'exposure') requests.push(exposureRequest(visit, event));
    else if (event.type === 'goal') requests.push(goalRequest(visit, event));
    else if (event.type === 'feedback') requests.push(feedbackRequest(visit, event));
  }
}

const json = (value) => value && JSON.stringify(value);

function collectRequest({ sessionId, visitorId, userId, attributes, country, agent }, events) {
  const { device, browser, os } = agent;
  return {
    receivedAt: events.at(-1).at,
    kind: 'collect',
    ...PROPERTY,
    sessionId,
    visitorId,
    userId,
    attributes: json(attributes),
    country,
    device,
    browser,
    os,
    events: events.map((event) => ({ ...event, properties: json(event.properties) })),
  };
}

function exposureRequest({ sessionId, agent }, { at, splitTestKey, variationKey, phase }) {
  const bot = agent.device === 'bot' || undefined;
  const exposures = [{ splitTestKey, variationKey, sessionId, at, phase, bot }];
  return { receivedAt: at, kind: 'exposures', ...PROPERTY, exposures };
}

function goalRequest({ sessionId }, { at, goalId, direction, amount = 0, metadata }) {
  const amountMicros = direction * Math.round(amount * 1_000_000);
  return {
    receivedAt: at,
    kind: 'conversion',
    ...PROPERTY,
    goalId,
    sessionId,
    direction,
    amountMicros,
    metadata: json(metadata),
  };
}

function feedbackRequest({ sessionId }, { at, id, feedbackTypeId, option, message, metadata }) {
  return {
    receivedAt: at,
    kind: 'feedback',
    ...PROPERTY,
    id,
    feedbackTypeId,
    sessionId,
    option,
    message,
    metadata: json(metadata),
  };
}
