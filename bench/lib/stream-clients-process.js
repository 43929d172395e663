// A process with many streams: connects on request, and reports when all of them have received an event.
import { connect } from 'node:net';

/** The server limits the connections of one address, so that the clients need several. */
const PER_ADDRESS = 1000;
const AT_A_TIME = 100;

let waiting;
let received = 0;
const streams = [];

/** Resolves after the first part of the response, with whether it is a stream. */
function open(port, request, address) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: address });
    socket.setEncoding('latin1');
    socket.once('connect', () => socket.write(request));
    socket.once('error', reject);
    socket.once('data', (text) => {
      const isStream = text.startsWith('HTTP/1.1 200');
      if (isStream) follow(socket);
      else socket.destroy();
      resolve(isStream);
    });
  });
}

function follow(socket) {
  streams.push(socket);
  socket.on('data', onData);
  socket.once('close', () => process.send({ error: 'the server closed a stream' }));
}

function onData(text) {
  if (waiting === undefined || !text.includes(waiting)) return;
  received += 1;
  if (received < streams.length) return;
  waiting = undefined;
  process.send({ at: performance.timeOrigin + performance.now() });
}

async function openAll({ port, request, count }) {
  for (let first = 0; first < count; first += AT_A_TIME) {
    const some = Array.from({ length: Math.min(AT_A_TIME, count - first) }, (_, i) =>
      open(port, request, `127.0.0.${2 + Math.floor((first + i) / PER_ADDRESS)}`),
    );
    await Promise.all(some);
  }
  process.send({ opened: streams.length, refused: count - streams.length });
}

process.on('message', (message) => {
  if (message.waitFor === undefined) {
    openAll(message).catch((error) => process.send({ error: error.message }));
    return;
  }
  waiting = message.waitFor;
  received = 0;
  process.send({ waiting });
});
process.on('disconnect', () => process.exit());
