import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROPERTY, PUBLIC_KEY, SECRET_KEY, SPEED_CASES } from '../fixture.js';
import { mb, whole } from '../report.js';
import { post } from './requests.js';

const UNREAD_CLIENTS = 20;
const UNREAD_MS = 10_000;
const UNREAD_MAX_MB = 512;
const HALF_SENT = 400;
/** The server times out requests after 15 seconds, but checks only every few seconds. */
const HALF_SENT_MS = 25_000;

const largeEvents = { small: 3000, full: 12_000 };

async function open(port) {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Sends requests on many connections without reading the responses. */
async function doNotRead({ server }) {
  const request = `GET /v1/sessions/long?propertyId=${PROPERTY}&limit=1000 HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: ${SECRET_KEY}\r\n\r\n`;
  const before = server.memory().resident;
  let peak = before;
  const sockets = await Promise.all(Array.from({ length: UNREAD_CLIENTS }, () => open(server.port)));
  for (const socket of sockets) {
    socket.pause();
    socket.write(request.repeat(10));
  }
  for (const end = performance.now() + UNREAD_MS; performance.now() < end; await sleep(50))
    peak = Math.max(peak, server.memory().resident);
  for (const socket of sockets) socket.destroy();
  const growth = peak - before;
  return { outcome: `${mb(growth)} more`, held: growth < UNREAD_MAX_MB };
}

async function sendHalves({ server }) {
  const before = server.descriptors();
  const halves = [
    'POST /v1/split-testing/expose HTTP/1.1\r\nHost: 127.0.0.1\r\n',
    `POST /v1/split-testing/expose HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: ${PUBLIC_KEY}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"propertyId"`,
  ];
  const sockets = await Promise.all(
    Array.from({ length: HALF_SENT }, async (_, i) => {
      // Like an attacker, stays half-open when the server closes its side.
      const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.resume();
      socket.write(halves[i % 2]);
      return socket;
    }),
  );
  await sleep(HALF_SENT_MS);
  const remaining = server.descriptors() - before;
  for (const socket of sockets) socket.destroy();
  return { outcome: `${remaining} descriptors left`, held: remaining < HALF_SENT / 10 };
}

const crowd = { small: 3000, full: 12_000 };
const CROWD_MS = 15_000;
const NEWCOMERS = 50;

/** One client that opens as many connections as it can, from another address than the probe, and lets them idle. */
async function crowdOut({ server, scale }) {
  const before = server.descriptors();
  let open = 0;
  const sockets = [];
  for (let i = 0; i < crowd[scale]; i++) {
    const socket = connect({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    socket.on('error', () => {});
    socket.on('close', () => open--);
    sockets.push(socket);
    open++;
    // An idle connection has had a response.
    socket.on('connect', () => socket.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'));
    socket.resume();
    if (i % 100 === 0) await sleep(5);
  }
  let refused = 0;
  for (const end = performance.now() + CROWD_MS; performance.now() < end; await sleep(CROWD_MS / NEWCOMERS)) {
    const response = await fetch(new URL('/healthz', server.url), { headers: { connection: 'close' } }).catch(
      () => undefined,
    );
    if (response?.status !== 200) refused++;
  }
  const left = server.descriptors() - before;
  for (const socket of sockets) socket.destroy();
  return { outcome: `${whole(left)} left open, ${refused} newcomers refused`, held: refused === 0 };
}

const FLOOD_MS = 5000;
const FLOOD_CONNECTIONS = 64;

/** One client that sends requests as fast as possible with the public key, from another address than the probe. */
async function flood({ server, generator }) {
  const { requests, errors } = await generator.run({
    port: server.port,
    localAddress: '127.0.0.2',
    scripts: SPEED_CASES[0].scripts(),
    connections: FLOOD_CONNECTIONS,
    milliseconds: FLOOD_MS,
  });
  return { outcome: `${whole(requests)} requests, ${whole(errors[429] ?? 0)} rejected` };
}

const PATTERN_REQUESTS = 10;

async function matchLongText({ url }) {
  const letters = Array.from({ length: 60_000 }, () => (Math.random() < 0.5 ? 'a' : 'b'));
  const context = { userId: 'u', note: `${letters.join('')}de` };
  let last;
  for (let i = 0; i < PATTERN_REQUESTS; i++)
    last = await post(url, '/v1/flags/evaluate', { context, flagKeys: ['pattern'] });
  return { outcome: `${last.status}` };
}

const MIB = 1024 * 1024;
const BODIES = 20;

async function sendBodies({ url }) {
  const room = MIB - 1000;
  const deep = `${'['.repeat(room / 2)}${']'.repeat(room / 2)}`;
  const wide = `{${Array.from({ length: 70_000 }, (_, i) => `"a${i}":${i}`).join(',')}}`;
  const statuses = new Set();
  for (let i = 0; i < BODIES; i++) {
    for (const attributes of [deep, wide]) {
      const exposure = `{"splitTestKey":"hero","variationKey":"b","sessionId":"s","attributes":${attributes}}`;
      const body = `{"propertyId":"${PROPERTY}","exposures":[${exposure}]}`;
      const { status } = await post(url, '/v1/split-testing/expose', {}, { key: PUBLIC_KEY, body });
      statuses.add(status);
    }
  }
  return { outcome: [...statuses].join(' ') };
}

/** Attacks with connections and bodies. */
export const CONNECTION_ATTACKS = [
  {
    name: 'unread',
    size: (scale) =>
      `${UNREAD_CLIENTS} clients request ${whole(largeEvents[scale])} events of 8 KB, read nothing`,
    fill: (scale) => ['longSession', largeEvents[scale], 8000],
    run: doNotRead,
  },
  { name: 'half-sent', size: () => `${HALF_SENT} half-sent requests, 25 s`, run: sendHalves },
  {
    name: 'crowd',
    size: (scale) => `${whole(crowd[scale])} idle connections from one address`,
    run: crowdOut,
  },
  {
    name: 'flood',
    size: () => `${FLOOD_CONNECTIONS} connections from one address, 1,000 req/s for the key`,
    env: { RATE_LIMIT_PER_SECOND: '1000' },
    run: flood,
  },
  {
    name: 'pattern',
    size: () => `${PATTERN_REQUESTS} attributes of 60 KB, nested pattern`,
    run: matchLongText,
  },
  { name: 'bodies', size: () => `${2 * BODIES} bodies of 1 MB, deep and wide`, run: sendBodies },
];
