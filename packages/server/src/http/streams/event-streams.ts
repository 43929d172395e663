import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { SlicedLoops } from '../../platform/threads/sliced-loops.ts';
import type { StreamLimits } from '../limits/stream-limits.ts';

const HEARTBEAT_MS = 15_000;
const HEARTBEAT = Buffer.from(': heartbeat\n\n');
/** Each stream belongs to one: at each tick, the streams of one slot get their heartbeat. */
const SLOTS = 60;

interface NewStream<Client> {
  propertyId: string;
  /** Id of the API key or the account that opened it. */
  owner: string;
  client: Client;
  /** The newest version that the client knows of. */
  version: number;
  /** Whether there are later versions. */
  isBehind: boolean;
  /** What it gets first. */
  text: string;
}

/** A response that stays open. */
export interface EventStream<Client> extends NewStream<Client> {
  readonly response: ServerResponse;
}

interface OpenStream<Client> extends EventStream<Client> {
  /** The last publication that it has got or does not need. */
  publication: number;
  isCatchingUp: boolean;
}

interface Options<Client> {
  loops: SlicedLoops;
  limits: StreamLimits;
  /** What a stream gets in place of what it has missed since its version; sets the version. */
  catchUp: (stream: EventStream<Client>) => string | Promise<string>;
}

/**
 * Open server-sent events of one kind. An event is written once for all streams, to a few of them at a time. A client that
 * does not read is skipped, so that at most one event waits for it, and gets what it missed when it has read that.
 * Clients that read nothing for long are disconnected by `connection-limits.ts`.
 */
export class EventStreams<Client> {
  readonly #options: Options<Client>;
  readonly #properties = new Map<string, Set<OpenStream<Client>>>();
  readonly #slots = Array.from({ length: SLOTS }, () => new Set<OpenStream<Client>>());
  readonly #behind = new Set<OpenStream<Client>>();
  readonly #timer: NodeJS.Timeout;
  #publications = 0;
  #opened = 0;
  #tick = 0;

  constructor(options: Options<Client>) {
    this.#options = options;
    this.#timer = setInterval(() => this.#onTick(), HEARTBEAT_MS / SLOTS).unref();
  }

  /** Throws if there are too many. */
  open(reply: FastifyReply, opened: NewStream<Client>): void {
    const { limits } = this.#options;
    // The client left while its credentials were checked: `close` does not come again.
    if (reply.raw.destroyed) return;
    limits.add(opened.owner);
    const response = startResponse(reply);
    const stream: OpenStream<Client> = {
      ...opened,
      response,
      publication: this.#publications,
      isCatchingUp: false,
    };
    const others = this.#properties.get(stream.propertyId);
    if (others === undefined) this.#properties.set(stream.propertyId, new Set([stream]));
    else others.add(stream);
    const slot = this.#slots[this.#opened++ % SLOTS]!;
    slot.add(stream);
    response.on('close', () => {
      limits.remove(stream.owner);
      slot.delete(stream);
      this.#remove(stream);
    });
    write(stream, stream.text);
    if (stream.isBehind) void this.#catchUp(stream);
  }

  count(propertyId: string): number {
    return this.#properties.get(propertyId)?.size ?? 0;
  }

  /** Of all properties. */
  all(): EventStream<Client>[] {
    return [...this.#properties.values()].flatMap((streams) => [...streams]);
  }

  /** Sends an event to all streams of a property. */
  publish(propertyId: string, version: number, text: string): void {
    const bytes = Buffer.from(text);
    const publication = ++this.#publications;
    this.#options.loops.run(this.#properties.get(propertyId) ?? [], (stream) => {
      if (stream.publication >= publication) return;
      if (stream.isCatchingUp || stream.isBehind || stream.response.writableLength > 0) {
        stream.isBehind = true;
        this.#behind.add(stream);
        return;
      }
      stream.publication = publication;
      stream.version = version;
      write(stream, bytes);
    });
  }

  /** Ends the streams of a property that match. */
  end(propertyId: string, matches: (stream: EventStream<Client>) => boolean): void {
    const ended = [...(this.#properties.get(propertyId) ?? [])].filter(matches);
    this.#options.loops.run(ended, ({ response }) => response.end());
  }

  close(): void {
    clearInterval(this.#timer);
    for (const { response } of this.all()) response.end();
  }

  #remove(stream: OpenStream<Client>): void {
    this.#behind.delete(stream);
    const others = this.#properties.get(stream.propertyId);
    others?.delete(stream);
    if (others?.size === 0) this.#properties.delete(stream.propertyId);
  }

  #onTick(): void {
    const { loops } = this.#options;
    loops.run(this.#slots[this.#tick++ % SLOTS]!, (stream) => {
      if (stream.response.writableLength === 0) write(stream, HEARTBEAT);
    });
    if (this.#behind.size === 0) return;
    loops.run([...this.#behind], (stream) => {
      if (!stream.isCatchingUp && stream.response.writableLength === 0) void this.#catchUp(stream);
    });
  }

  async #catchUp(stream: OpenStream<Client>): Promise<void> {
    this.#behind.delete(stream);
    stream.isBehind = false;
    stream.isCatchingUp = true;
    stream.publication = this.#publications;
    try {
      write(stream, await this.#options.catchUp(stream));
    } catch {
      // The client connects again.
      stream.response.destroy();
    }
    stream.isCatchingUp = false;
  }
}

function startResponse(reply: FastifyReply): ServerResponse {
  reply.hijack();
  const response = reply.raw;
  // The body ends with the connection: in chunks, an event would take four writes instead of one.
  response.removeHeader('transfer-encoding');
  response.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
    // Disables buffering in nginx.
    'x-accel-buffering': 'no',
  });
  return response;
}

/** Sends at once. Node.js would do it after this turn of the event loop, which would then take longer than is measured. */
function write({ response }: EventStream<unknown>, text: string | Buffer): void {
  const { socket } = response;
  if (text.length === 0 || response.destroyed || response.writableEnded) return;
  socket?.cork();
  response.write(text);
  socket?.uncork();
}
