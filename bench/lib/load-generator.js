// A child process that sends requests over keep-alive connections, one at a time on each, and measures latency.
// It is lean on purpose: it shares two cores with the server, so its CPU time is taken from the server.
import { connect } from 'node:net';

const BUCKET_MS = 0.02;
const BUCKETS = 250_000;
const READ_BYTES = 256 * 1024;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const HEADER_END = Buffer.from('\r\n\r\n');
const ID_LENGTH = 16;

/** Placeholders in a request for the ids of its visit and visitor; as long as the ids. */
const PLACEHOLDERS = { visit: '%%%%%%%%%%%VISIT', visitor: '%%%%%%%%%VISITOR' };

/** Unique ids in a scattered options, like random ones. */
function writeId(buffer, offset, number) {
  const high = Math.imul(number ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const low = Math.imul(number + 0x7f4a7c15, 0xc2b2ae35) >>> 0;
  for (let byte = 0; byte < 4; byte++) {
    buffer.latin1Write(HEX[(high >>> (8 * byte)) & 255], offset + 2 * byte, 2);
    buffer.latin1Write(HEX[(low >>> (8 * byte)) & 255], offset + 8 + 2 * byte, 2);
  }
}

/** A request in which only the ids change between visits. */
class Template {
  constructor(text) {
    this.buffer = Buffer.from(text);
    this.visits = this.#offsetsOf(PLACEHOLDERS.visit);
    this.visitors = this.#offsetsOf(PLACEHOLDERS.visitor);
  }

  forVisit(number) {
    for (const offset of this.visits) writeId(this.buffer, offset, number);
    // Three visits per visitor.
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

/** One client: sends the next request when the last response is complete. */
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
    // Each client patches its own buffers, because those of others are still being sent.
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
    const delay = this.#load.delayOf(this.#visit);
    if (delay > 0) setTimeout(() => this.#send(request), delay);
    else this.#send(request);
  }

  #send(request) {
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
    // The buffer is reused: bytes after `length` belong to an earlier response.
    const headerEnd = buffer.indexOf(HEADER_END);
    if (headerEnd === -1 || headerEnd + 4 > length) {
      this.#partial = Buffer.from(buffer.subarray(0, length));
      return true;
    }
    const header = buffer.latin1Slice(0, headerEnd);
    const isOk = header.startsWith('200', 9);
    if (!isOk) this.#load.recordError(header.slice(9, 12));
    const field = /content-length: (\d+)/i.exec(header);
    if (field === null) return this.#load.fail(new Error(`response without content-length: ${header}`));
    this.#missing = headerEnd + 4 + Number(field[1]) - length;
    if (this.#missing === 0) this.#finished();
    return true;
  }

  #finished() {
    this.#load.recordLatency(performance.now() - this.#sentAt);
    this.#next();
  }
}

/** One run against one port, for a duration or a number of visits. */
class Load {
  #histogram = new Uint32Array(BUCKETS);
  #responses = 0;
  #errors = {};
  #startedAt = performance.now();
  #cpu = process.cpuUsage();
  #open;
  #visit;
  #options;
  #done;

  constructor(options, done) {
    this.#options = options;
    this.#visit = options.firstVisit;
    this.#open = options.connections;
    this.#done = done;
    for (let i = 0; i < options.connections; i++) new Client(this, options);
  }

  mayStart() {
    const { visits, firstVisit, milliseconds } = this.#options;
    if (visits !== undefined) return this.#visit < firstVisit + visits;
    return performance.now() - this.#startedAt < milliseconds;
  }

  /** Milliseconds until a visit may start, if the rate is limited. */
  delayOf(visit) {
    const { perSecond, firstVisit } = this.#options;
    if (perSecond === undefined) return 0;
    return this.#startedAt + ((visit - firstVisit) / perSecond) * 1000 - performance.now();
  }

  nextVisit() {
    return this.#visit++;
  }

  recordLatency(milliseconds) {
    this.#responses += 1;
    this.#histogram[Math.min(BUCKETS - 1, Math.floor(milliseconds / BUCKET_MS))] += 1;
  }

  recordError(status) {
    this.#errors[status] = (this.#errors[status] ?? 0) + 1;
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
      requests: this.#responses,
      visits: this.#visit - this.#options.firstVisit,
      seconds,
      perSecond: this.#responses / seconds,
      p50: this.#quantile(0.5),
      p99: this.#quantile(0.99),
      max: this.#quantile(1),
      errors: this.#errors,
      generatorCores: (user + system) / 1e6 / seconds,
    });
  }

  #quantile(share) {
    let remaining = Math.ceil(this.#responses * share);
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      remaining -= this.#histogram[bucket];
      if (remaining <= 0) return (bucket + 0.5) * BUCKET_MS;
    }
    return Number.NaN;
  }
}

process.on('message', (options) => {
  new Load(options, (result) => process.send(result));
});
process.on('disconnect', () => process.exit());
