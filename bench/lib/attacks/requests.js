import { PROPERTY, PUBLIC_KEY, SECRET_KEY } from '../fixture.js';

/** Sends a request and reads the whole response. */
export async function send(url, path, { key = SECRET_KEY, method = 'GET', body, headers = {} } = {}) {
  const response = await fetch(url + path, {
    method,
    headers: {
      'x-api-key': key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  let bytes = 0;
  for await (const part of response.body) bytes += part.length;
  return { status: response.status, bytes };
}

export const post = (url, path, body, options = {}) =>
  send(url, path, { method: 'POST', body: { propertyId: PROPERTY, ...body }, ...options });

/** Sends a write that prepares an attack and must succeed. */
async function prepare(url, path, body, key) {
  const { status } = await post(url, path, body, { key });
  if (status !== 200) throw new Error(`POST ${path} failed with status ${status}`);
}

const BATCH = 500;

/** Sends exposures as pages would, 500 per request; `make` receives their index. */
export async function expose(url, count, make) {
  for (let first = 0; first < count; first += BATCH) {
    const exposures = Array.from({ length: Math.min(BATCH, count - first) }, (_, i) => make(first + i));
    await prepare(url, '/v1/split-testing/expose', { exposures }, PUBLIC_KEY);
  }
}

/** Sends events of sessions as pages would, 500 per session; `make` receives their index. */
export async function collect(url, count, make) {
  for (let first = 0; first < count; first += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, count - first) }, (_, i) => make(first + i));
    const session = { sessionId: `visit-${first}`, visitorId: `visitor-${first}` };
    await prepare(url, '/v1/sessions/collect', { ...session, events }, PUBLIC_KEY);
  }
}

/** Uncached results of a split test. */
export const results = (url, splitTestKey, query) =>
  send(
    url,
    `/v1/split-testing/results?propertyId=${PROPERTY}&splitTestKey=${splitTestKey}&fresh=true${query}`,
  );

/** Outcome of an attack that consists of a single request. */
export const outcomeOf = ({ status, bytes }) => ({
  outcome: `${status}, ${size(bytes)}`,
  held: status < 500,
});

function size(bytes) {
  if (bytes < 2 ** 20) return `${(bytes / 1024).toFixed(0)} KB`;
  return `${(bytes / 2 ** 20).toFixed(0)} MB`;
}
