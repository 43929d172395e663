import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openEventStream, writeEvent } from '../../http/server-sent-events.ts';
import { sameJson } from '../../storage/changes/differences.ts';
import {
  type EntityType,
  ITEM_TYPES,
  itemsOf,
  keyOf,
  propertyDocument,
} from '../../storage/changes/entities.ts';
import type { ConfigurationChange } from '../../storage/configuration.ts';
import type { Database } from '../../storage/database.ts';
import type { PropertyConfiguration } from '../../storage/property-configuration.ts';

const HEARTBEAT_MS = 15_000;
const ACCESS_CHECK_MS = 5000;
/** A client that missed more entries of the history is told to load everything again. */
const MAX_MISSED = 200;

interface Stream {
  propertyId: string;
  response: ServerResponse;
  /** The newest version that the client knows of. */
  version: number;
  /** What is published while the changes that the client missed are looked up. */
  waiting: string[] | undefined;
  /** Whether the caller may still read the property. */
  isAllowed: () => Promise<boolean>;
}

interface ChangedItem {
  type: EntityType;
  key: string;
  action: string;
  version: number;
}

/** The open `P/stream` connections. */
export class ConfigurationStreams {
  readonly #database: Database;
  readonly #isAllowed: (request: FastifyRequest, propertyId: string) => Promise<boolean>;
  readonly #streams = new Set<Stream>();
  readonly #timers: NodeJS.Timeout[];

  constructor(
    database: Database,
    isAllowed: (request: FastifyRequest, propertyId: string) => Promise<boolean>,
  ) {
    this.#database = database;
    this.#isAllowed = isAllowed;
    this.#timers = [
      setInterval(() => {
        for (const { response } of this.#streams) writeEvent(response, ': heartbeat\n\n');
      }, HEARTBEAT_MS).unref(),
      setInterval(() => void this.#endRevoked(), ACCESS_CHECK_MS).unref(),
    ];
  }

  async open(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { managed, headers } = request;
    const lastSeen = Number(headers['last-event-id'] ?? Number.NaN);
    const response = openEventStream(reply);
    // The client left while its credentials were checked: `close` does not come again.
    if (response.destroyed) return;
    const isAllowed = () => this.#isAllowed(request, managed.id);
    const { id: propertyId, version } = managed;
    const stream: Stream = { propertyId, response, version, waiting: [], isAllowed };
    this.#streams.add(stream);
    response.on('close', () => this.#streams.delete(stream));
    try {
      const missed = Number.isInteger(lastSeen) ? await this.#missedSince(managed, lastSeen) : '';
      const { waiting = [] } = stream;
      stream.waiting = undefined;
      // The property may have been deleted meanwhile.
      if (response.writableEnded) return;
      writeEvent(response, `retry: 2000\nid: ${managed.version}\n\n${missed}${waiting.join('')}`);
    } catch (error) {
      // The client connects again.
      response.destroy();
      throw error;
    }
  }

  publish({ propertyId, previous, current }: ConfigurationChange): void {
    // A request can see a version shortly before it is published.
    const streams = [...this.#streams].filter(
      (stream) =>
        stream.propertyId === propertyId && stream.version < (current?.version ?? Number.POSITIVE_INFINITY),
    );
    if (streams.length === 0) return;
    const event =
      current === undefined || previous === undefined
        ? reloadEvent(current?.version ?? 0)
        : changeEvent(current.version, changedItems(previous, current));
    for (const stream of streams) {
      const { response, waiting } = stream;
      stream.version = current?.version ?? stream.version;
      if (waiting === undefined) writeEvent(response, event);
      else waiting.push(event);
      if (current === undefined) response.end();
    }
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    for (const { response } of this.#streams) response.end();
  }

  async #endRevoked(): Promise<void> {
    for (const stream of [...this.#streams]) {
      const isAllowed = await stream.isAllowed().catch(() => true);
      if (!isAllowed) stream.response.end();
    }
  }

  /** The changes after a version, from the history. */
  async #missedSince({ id, version }: PropertyConfiguration, lastSeen: number): Promise<string> {
    if (lastSeen === version) return '';
    const rows = await this.#database
      .selectFrom('history')
      .select(['entity_type', 'entity_key', 'action', 'version', 'property_version'])
      .where('property_id', '=', id)
      .where('property_version', '>', lastSeen)
      .where('property_version', '<=', version)
      .orderBy('property_version')
      .orderBy('sequence')
      .limit(MAX_MISSED + 1)
      .execute();
    const isComplete =
      lastSeen < version && rows.length <= MAX_MISSED && rows[0]?.property_version === lastSeen + 1;
    if (!isComplete) return reloadEvent(version);
    const byVersion = new Map<number, ChangedItem[]>();
    for (const row of rows) {
      const item = { type: row.entity_type, key: row.entity_key, action: row.action, version: row.version };
      byVersion.set(row.property_version, [...(byVersion.get(row.property_version) ?? []), item]);
    }
    return [...byVersion].map(([each, items]) => changeEvent(each, items)).join('');
  }
}

function changeEvent(version: number, changes: readonly ChangedItem[]): string {
  return `id: ${version}\nevent: change\ndata: ${JSON.stringify({ version, changes })}\n\n`;
}

const reloadEvent = (version: number) =>
  `id: ${version}\nevent: reload\ndata: ${JSON.stringify({ version })}\n\n`;

/** By their versions, which is cheaper than comparing the items. */
function changedItems(previous: PropertyConfiguration, current: PropertyConfiguration): ChangedItem[] {
  const items = ITEM_TYPES.flatMap((type) => {
    const before = new Map(itemsOf(previous, type).map((item) => [keyOf(type, item), versionOf(item)]));
    const saved = itemsOf(current, type).flatMap((item): ChangedItem[] => {
      const key = keyOf(type, item);
      const known = before.get(key);
      before.delete(key);
      const version = versionOf(item);
      if (known === version) return [];
      const action = known === undefined ? 'create' : 'update';
      return [{ type, key, action, version: Math.max(version, 1) }];
    });
    const deleted = [...before].map(([key, version]) => ({
      ...{ type, key, action: 'delete' },
      version: version + 1,
    }));
    return [...saved, ...deleted];
  });
  if (items.length > 0 && sameJson(propertyDocument(previous), propertyDocument(current))) return items;
  return [{ type: 'property', key: current.id, action: 'update', version: current.version }, ...items];
}

/** API keys have none. */
const versionOf = (item: object): number => Reflect.get(item, 'version') ?? 0;
