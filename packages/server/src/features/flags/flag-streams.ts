import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { ConfigurationChange } from '../../configuration/snapshot/configuration.ts';
import type { StreamLimits } from '../../http/limits/stream-limits.ts';
import { EventStreams } from '../../http/streams/event-streams.ts';
import type { SlicedLoops } from '../../platform/threads/sliced-loops.ts';
import { anyChangeEvent, changeEvent, stateEvent } from './flag-events.ts';

interface Options {
  loops: SlicedLoops;
  limits: StreamLimits;
  property: (id: string) => PropertyConfiguration | undefined;
}

/** The open `GET /v1/flags/stream` connections. */
export class FlagStreams {
  readonly #streams: EventStreams<{ keyHash: string }>;

  constructor({ loops, limits, property }: Options) {
    this.#streams = new EventStreams({
      loops,
      limits,
      catchUp: (stream) => {
        const current = property(stream.propertyId);
        if (current === undefined) return '';
        stream.version = current.version;
        return anyChangeEvent(current, this.#streams.count(current.id));
      },
    });
  }

  /** @param property as it is now; a client that last saw another version gets a change at once */
  open(property: PropertyConfiguration, request: FastifyRequest, reply: FastifyReply): void {
    const lastSeen = request.headers['last-event-id'];
    const { id, version } = property;
    this.#streams.open(reply, {
      propertyId: id,
      owner: request.apiKey.id,
      client: { keyHash: request.apiKey.hash },
      version,
      isBehind: lastSeen !== undefined && lastSeen !== String(version),
      text: `retry: 2000\n${stateEvent(property, this.#streams.count(id))}`,
    });
  }

  /** Ends the streams of deleted keys, and tells the others if flags changed. */
  publish({ propertyId, previous, current }: ConfigurationChange): void {
    if (previous === undefined || this.#streams.count(propertyId) === 0) return;
    const keys = new Set(current?.apiKeys.map(({ hash }) => hash));
    if (previous.apiKeys.some(({ hash }) => !keys.has(hash))) {
      this.#streams.end(propertyId, ({ client }) => !keys.has(client.keyHash));
    }
    const event = current && changeEvent(previous, current, this.#streams.count(propertyId));
    if (event !== undefined) this.#streams.publish(propertyId, current!.version, event);
  }

  close(): void {
    this.#streams.close();
  }
}
