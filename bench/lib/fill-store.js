// node fill-store.js CHECKOUT FILE KIND COUNT [BYTES]: fills the event store of a stopped server through `append` of
// that checkout, which is the path behind the journal. A separate process, because it loads another build.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { visitEntries, visitorEntries } from './fixture.js';

const DAY = 24 * 60 * 60 * 1000;
/** Visitors convert a minute later. */
const END_MS = 5 * 60 * 1000;
const BATCH_REQUESTS = 10_000;
const EVENTS_PER_REQUEST = 500;
const SERIES_VARIATIONS = 30;

const common = (at) => ({ propertyId: 'shop', receivedAt: at });

/** Visits of the last 30 days, three per visitor. */
function* visits(count) {
  const first = Date.now() - 30 * DAY;
  for (let visit = 1; visit <= count; visit++) {
    for (const { request } of visitEntries(0, visit, first + Math.floor((visit / count) * 30 * DAY)))
      yield request;
  }
}

/** Visitors of a test that runs for two weeks. */
function* visitors(count) {
  const first = Date.now() - 14 * DAY;
  for (let visitor = 1; visitor <= count; visitor++) {
    const at = first + Math.floor((visitor / count) * (14 * DAY - END_MS));
    for (const { request } of visitorEntries(0, visitor, at)) yield request;
  }
}

/** The same with three page views each, of which every other visitor makes one on the next day, and a load time. */
function* activeVisitors(count) {
  let visitor = 0;
  for (const request of visitors(count)) {
    if (request.kind !== 'collect') {
      yield request;
      continue;
    }
    visitor += 1;
    const at = request.receivedAt;
    const view = (later, path) => ({ type: 'pageview', at: at + later, url: `https://shop.example${path}` });
    const load = {
      type: 'event',
      name: 'load',
      at: at + 1,
      properties: JSON.stringify({ ms: (visitor * 7919) % 3001 }),
    };
    yield { ...request, events: [view(1, '/'), load, view(5000, `/product/${visitor % 997}?from=home`)] };
    const [later, path] = visitor % 2 === 0 ? [DAY, '/'] : [9000, '/checkout/pay'];
    yield { ...request, receivedAt: at + later, events: [view(later, path)] };
  }
}

/** One session with many events. */
function* longSession(count, bytes) {
  const start = Date.now() - DAY;
  const properties = JSON.stringify({ text: 'x'.repeat(bytes) });
  const software = { device: 'desktop', browser: 'Firefox', os: 'Linux' };
  for (let done = 0; done < count; done += EVENTS_PER_REQUEST) {
    const events = Array.from({ length: Math.min(EVENTS_PER_REQUEST, count - done) }, (_, i) => ({
      type: 'event',
      name: `step ${done + i}`,
      at: start + done + i,
      ...(bytes > 0 && { properties }),
    }));
    yield {
      ...common(start + done),
      kind: 'collect',
      sessionId: 'long',
      visitorId: 'long',
      ...software,
      events,
    };
  }
}

/** Exposures to 30 variations with conversions on each of `count` days, as stored by versions that trusted client times. */
function* oldDays(count) {
  const today = Date.now();
  for (let day = 0; day < count; day++) {
    const at = today - (count - 1 - day) * DAY;
    for (let visitor = 0; visitor < 2; visitor++) {
      const sessionId = `day-${day}-${visitor}`;
      const variationKey = `v${(2 * day + visitor) % SERIES_VARIATIONS}`;
      const exposure = { splitTestKey: 'long-ago', variationKey, sessionId, at };
      yield { ...common(today), kind: 'exposures', exposures: [exposure] };
    }
    for (const goalId of ['signup', 'revenue'])
      yield {
        ...common(at),
        kind: 'conversion',
        goalId,
        sessionId: `day-${day}-0`,
        direction: 1,
        amountMicros: 1_000_000,
      };
  }
}

const KINDS = { visits, visitors, activeVisitors, longSession, oldDays };

const [checkout, file, kind, count, bytes = '0'] = process.argv.slice(2);
const built = pathToFileURL(join(checkout, 'packages/server/dist/duckdb-event-store.cjs')).href;
const { openDuckDbEventStore } = await import(built);
const store = await openDuckDbEventStore(file);
/** Versions before several journals have no source. */
const append = (entries) =>
  store.append.length === 1 ? store.append(entries) : store.append('local', entries);
let seq = 0;
let batch = [];
let length = 0;
for (const request of KINDS[kind](Number(count), Number(bytes))) {
  seq += 1;
  batch.push({ seq, request });
  length += request.events === undefined ? 1 : request.events.length * (1 + Number(bytes) / 256);
  if (length < BATCH_REQUESTS) continue;
  await append(batch);
  batch = [];
  length = 0;
}
if (batch.length > 0) await append(batch);
await store.close();
