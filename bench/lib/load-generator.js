// A child process that sends requests over keep-alive connections, one at a time on each, and times the answers.
// It is lean on purpose: it shares two cores with the server, and whatever it costs is taken from the server.
import { connect } from 'node:net';

const BUCKET_MS = 0.02;
const BUCKETS = 250_000;
const READ_BYTES = 256 * 1024;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const HEADER_END = Buffer.from('\r\n\r\n');
const ID_LENGTH = 16;

/** What stands in a request for the id of its visit or visitor; both are as long as the ids. */
const PLACEHOLDERS = { visit: '%%%%%%%%%%%VISIT', visitor: '%%%%%%%%%VISITOR' };

/** Ids in a scattered order, as random ones would come, yet never the same twice. */
function writeId(buffer, offset, number) {
  const high = Math.imul(number ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const low = Math.imul(number + 0x7f4a7c15, 0xc2b2ae35) >>> 0;
  for (let byte = 0; byte < 4; byte++) {
    buffer.latin1Write(HEX[(high >>> (8 * byte)) & 255], offset + 2 * byte, 2);
    buffer.latin1Write(HEX[(low >>> (8 * byte)) & 255], offset + 8 + 2 * byte, 2);
  }
}

/** A request of which only the ids change from visit to visit. */
class Template {
  constructor(text) {
    this.buffer = Buffer.from(text);
    this.visits = this.#offsetsOf(PLACEHOLDERS.visit);
    this.visitors = this.#offsetsOf(PLACEHOLDERS.visitor);
  }

  forVisit(number) {
    for (const offset of this.visits) writeId(this.buffer, offset, number);
    // Three visits make a visitor.
    for (const offset of this.visitors) writeId(this.buffer, offset, Math.floor(number / 3));
    return this.buffer;
  }

  #offsetsOf(placeholder) {
    if (placeholder.length !== ID_LENGTH) throw new Error('a placeholder must be as long as an id');
    const offsets = [];
    for (let at = this.buffer.indexOf(placeholder); at !== -1; at = this.buffer.indexOf(placeholder, at + 1))
      offsets.push(at);
    return offsets;
  }
}

/** One client: the next request leaves when the answer to the last one is complete. */
class Client {
  #load;
  #scripts;
  #script = [];
  #step = 0;
  #visit = 0;
  #sentAt = 0;
  #missing = 0;
  #partial;
  #socket;

  constructor(load, { port, localAddress, scripts }) {
    this.#load = load;
    // Each client patches buffers of its own while others are still being sent.
    this.#scripts = scripts.map((script) => script.map((text) => new Template(text)));
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      localAddress,
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(READ_BYTES),
        callback: (bytes, buffer) => this.#receive(bytes, buffer),
      },
    });
    this.#socket.once('connect', () => this.#next());
    this.#socket.once('error', (error) => load.fail(error));
    this.#socket.once('close', () => load.closed());
  }

  #next() {
    if (this.#step === this.#script.length) {
      if (!this.#load.mayStart()) return this.#socket.destroy();
      this.#visit = this.#load.nextVisit();
      this.#script = this.#scripts[this.#visit % this.#scripts.length];
      this.#step = 0;
    }
    const request = this.#script[this.#step++].forVisit(this.#visit);
    this.#sentAt = performance.now();
    this.#socket.write(request);
  }

  #receive(bytes, shared) {
    if (this.#missing > 0) {
      this.#missing -= bytes;
      if (this.#missing === 0) this.#finished();
      return true;
    }
    let buffer = shared;
    let length = bytes;
    if (this.#partial !== undefined) {
      buffer = Buffer.concat([this.#partial, shared.subarray(0, bytes)]);
      length = buffer.length;
      this.#partial = undefined;
    }
    // The buffer is used again and again: what lies behind `length` is from an earlier answer.
    const headerEnd = buffer.indexOf(HEADER_END);
    if (headerEnd === -1 || headerEnd + 4 > length) {
      this.#partial = Buffer.from(buffer.subarray(0, length));
      return true;
    }
    const header = buffer.latin1Slice(0, headerEnd);
    const isOk = header.startsWith('200', 9);
    if (!isOk) this.#load.refused(header.slice(9, 12));
    const field = /content-length: (\d+)/i.exec(header);
    if (field === null) return this.#load.fail(new Error(`an answer without a length: ${header}`));
    this.#missing = headerEnd + 4 + Number(field[1]) - length;
    if (this.#missing === 0) this.#finished();
    return true;
  }

  #finished() {
    this.#load.answered(performance.now() - this.#sentAt);
    this.#next();
  }
}

/** One run against one port: for a time, or a number of visits. */
class Load {
  #histogram = new Uint32Array(BUCKETS);
  #answers = 0;
  #refusals = {};
  #startedAt = performance.now();
  #cpu = process.cpuUsage();
  #open;
  #visit;
  #order;
  #done;

  constructor(order, done) {
    this.#order = order;
    this.#visit = order.firstVisit;
    this.#open = order.connections;
    this.#done = done;
    for (let i = 0; i < order.connections; i++) new Client(this, order);
  }

  mayStart() {
    const { visits, firstVisit, milliseconds } = this.#order;
    if (visits !== undefined) return this.#visit < firstVisit + visits;
    return performance.now() - this.#startedAt < milliseconds;
  }

  nextVisit() {
    return this.#visit++;
  }

  answered(milliseconds) {
    this.#answers += 1;
    this.#histogram[Math.min(BUCKETS - 1, Math.floor(milliseconds / BUCKET_MS))] += 1;
  }

  refused(status) {
    this.#refusals[status] = (this.#refusals[status] ?? 0) + 1;
  }

  fail(error) {
    this.#done({ error: error.message });
  }

  closed() {
    this.#open -= 1;
    if (this.#open > 0) return;
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#done({
      requests: this.#answers,
      visits: this.#visit - this.#order.firstVisit,
      seconds,
      perSecond: this.#answers / seconds,
      p50: this.#quantile(0.5),
      p99: this.#quantile(0.99),
      refusals: this.#refusals,
      generatorCores: (user + system) / 1e6 / seconds,
    });
  }

  #quantile(share) {
    let left = Math.ceil(this.#answers * share);
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      left -= this.#histogram[bucket];
      if (left <= 0) return (bucket + 0.5) * BUCKET_MS;
    }
    return Number.NaN;
  }
}

process.on('message', (order) => {
  new Load(order, (result) => process.send(result));
});
process.on('disconnect', () => process.exit());
