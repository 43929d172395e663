import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openEventStream, writeEvent } from '../../http/server-sent-events.ts';
import type { PropertyConfiguration } from '../../storage/property-configuration.ts';

const HEARTBEAT_MS = 15_000;
const KEY_CHECK_MS = 1000;

interface Stream {
  propertyId: string;
  response: ServerResponse;
  /** Whether the key that opened it is still valid. */
  isAllowed: () => boolean;
}

/** The open `GET /v1/flags/stream` connections. */
export class FlagStreams {
  readonly #isKeyValid: (text: string) => boolean;
  readonly #streams = new Set<Stream>();
  readonly #timers: NodeJS.Timeout[];

  constructor(isKeyValid: (text: string) => boolean) {
    this.#isKeyValid = isKeyValid;
    this.#timers = [
      setInterval(() => this.#each((stream) => write(stream, ': heartbeat\n\n')), HEARTBEAT_MS).unref(),
      setInterval(
        () => this.#each((stream) => stream.isAllowed() || stream.response.end()),
        KEY_CHECK_MS,
      ).unref(),
    ];
  }

  /** @param property current configuration; a client that last saw another version gets a change at once */
  open(property: PropertyConfiguration, request: FastifyRequest, reply: FastifyReply): void {
    const response = openEventStream(reply);
    const key = String(request.headers['x-api-key']);
    const stream: Stream = { propertyId: property.id, response, isAllowed: () => this.#isKeyValid(key) };
    this.#streams.add(stream);
    response.on('close', () => this.#streams.delete(stream));
    write(stream, `retry: 2000\nid: ${property.version}\n\n`);
    const lastSeen = request.headers['last-event-id'];
    if (lastSeen === undefined || lastSeen === String(property.version)) return;
    // It is not known which flags changed since, so all are listed.
    write(
      stream,
      changeEvent(
        property,
        property.flags.map(({ key }) => key),
      ),
    );
  }

  /** Notifies the clients of a property if flags changed. */
  publish(previous: PropertyConfiguration | undefined, current: PropertyConfiguration): void {
    const flags = changedFlags(previous, current);
    if (flags.length === 0 && sameTargeting(previous, current)) return;
    const event = changeEvent(current, flags);
    this.#each((stream) => stream.propertyId === current.id && write(stream, event));
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#each(({ response }) => response.end());
  }

  #each(action: (stream: Stream) => unknown): void {
    for (const stream of this.#streams) action(stream);
  }
}

function changeEvent({ id, version }: PropertyConfiguration, flags: readonly string[]): string {
  const data = JSON.stringify({ propertyId: id, version, flags });
  return `id: ${version}\nevent: change\ndata: ${data}\n\n`;
}

const write = ({ response }: Stream, text: string) => writeEvent(response, text);

function changedFlags(previous: PropertyConfiguration | undefined, current: PropertyConfiguration): string[] {
  const before = new Map(previous?.flags.map(({ key, version }) => [key, version]));
  const changed = current.flags
    .filter(({ key, version }) => before.get(key) !== version)
    .map(({ key }) => key);
  const now = new Set(current.flags.map(({ key }) => key));
  return [...changed, ...[...before.keys()].filter((key) => !now.has(key))];
}

/** Segments and environments affect evaluations without changing a flag. */
function sameTargeting(previous: PropertyConfiguration | undefined, current: PropertyConfiguration): boolean {
  const targeting = ({ segments, environments }: PropertyConfiguration) =>
    JSON.stringify([segments, environments]);
  return previous !== undefined && targeting(previous) === targeting(current);
}
