import { sameJson } from '@switchyard/core/merge/json-value';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../configuration/database/database.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import type { EntityType } from '../../configuration/property/entities.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { ConfigurationChange } from '../../configuration/snapshot/configuration.ts';
import { type Caller, type CallerDirectory, credentialId } from '../../http/contract/caller.ts';
import type { StreamLimits } from '../../http/limits/stream-limits.ts';
import { type EventStream, EventStreams } from '../../http/streams/event-streams.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { SlicedLoops } from '../../platform/threads/sliced-loops.ts';
import { versionOf } from './collections.ts';

/** Finds expired sessions and tokens, and what another node could not tell. */
const ACCESS_CHECK_MS = 10_000;
/** A client that missed more entries of the history is told to load everything again. */
const MAX_MISSED = 200;

/** Before all versions, so that nothing that was missed since then is known. */
const UNKNOWN = -1;

interface Client {
  caller: Caller;
}

interface Options {
  model: ConfigurationModel;
  loops: SlicedLoops;
  limits: StreamLimits;
  database: Database;
  property: (id: string) => PropertyConfiguration | undefined;
  callers: Pick<CallerDirectory, 'stillValid'>;
}

interface ChangedItem {
  type: EntityType;
  key: string;
  action: string;
  version: number;
}

/** The open `P/stream` connections. */
export class ConfigurationStreams {
  readonly #options: Options;
  readonly #streams: EventStreams<Client>;
  readonly #timer: NodeJS.Timeout;
  #check: Promise<void> = Promise.resolve();
  #nextCheck: Promise<void> | undefined;

  constructor(options: Options) {
    const { loops, limits } = options;
    this.#options = options;
    this.#streams = new EventStreams({ loops, limits, catchUp: (stream) => this.#catchUp(stream) });
    this.#timer = setInterval(() => void this.checkAccess(), ACCESS_CHECK_MS).unref();
  }

  open({ managed, caller, headers }: FastifyRequest, reply: FastifyReply): void {
    // It may have changed while the credentials were checked.
    const property = this.#options.property(managed.id);
    if (property === undefined) throw new ApiError('not_found');
    const lastSeen = headers['last-event-id'];
    const version = lastSeen === undefined ? property.version : versionIn(String(lastSeen));
    this.#streams.open(reply, {
      propertyId: property.id,
      owner: caller.account.id,
      client: { caller },
      version,
      isBehind: version !== property.version,
      // Without an id, a client that is disconnected before it was told to reload is told again.
      text: version === UNKNOWN ? 'retry: 2000\n\n' : `retry: 2000\nid: ${version}\n\n`,
    });
  }

  /** Ends the streams of those who may no longer read the property, and tells the others what changed. */
  publish({ propertyId, previous, current }: ConfigurationChange): void {
    if (this.#streams.count(propertyId) === 0) return;
    if (current === undefined || previous === undefined) {
      const version = current?.version ?? 0;
      this.#streams.publish(propertyId, version, reloadEvent(version));
      if (current === undefined) this.#streams.end(propertyId, () => true);
      return;
    }
    this.#streams.end(propertyId, ({ client }) => client.caller.roleIn(current) === undefined);
    const event = changeEvent(current.version, changedItems(this.#options.model, previous, current));
    this.#streams.publish(propertyId, current.version, event);
  }

  /** Ends the streams whose session or token has ended; resolves when that is done. */
  checkAccess(): Promise<void> {
    // A running check may have read the database before the change that the caller is about.
    this.#nextCheck ??= this.#check.then(() => {
      this.#nextCheck = undefined;
      this.#check = this.#endRevoked().catch(() => undefined);
      return this.#check;
    });
    return this.#nextCheck;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#streams.close();
  }

  async #endRevoked(): Promise<void> {
    const streams = this.#streams.all();
    if (streams.length === 0) return;
    const valid = await this.#options.callers.stillValid(streams.map(({ client }) => client.caller));
    for (const { propertyId, client, response } of streams) {
      const caller = valid.get(credentialId(client.caller));
      const property = this.#options.property(propertyId);
      if (caller === undefined || property === undefined || caller.roleIn(property) === undefined) {
        response.end();
      } else client.caller = caller;
    }
  }

  async #catchUp(stream: EventStream<Client>): Promise<string> {
    const property = this.#options.property(stream.propertyId);
    if (property === undefined) return '';
    const { version } = stream;
    stream.version = property.version;
    return this.#missedSince(property, version);
  }

  /** The changes after a version, from the history. */
  async #missedSince({ id, version }: PropertyConfiguration, lastSeen: number): Promise<string> {
    if (lastSeen === version) return '';
    const rows = await this.#options.database
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

const versionIn = (id: string): number => (/^\d{1,15}$/.test(id) ? Number(id) : UNKNOWN);

function changeEvent(version: number, changes: readonly ChangedItem[]): string {
  return `id: ${version}\nevent: change\ndata: ${JSON.stringify({ version, changes })}\n\n`;
}

const reloadEvent = (version: number) =>
  `id: ${version}\nevent: reload\ndata: ${JSON.stringify({ version })}\n\n`;

/** By their versions, which is cheaper than comparing the items. */
function changedItems(
  model: ConfigurationModel,
  previous: PropertyConfiguration,
  current: PropertyConfiguration,
): ChangedItem[] {
  const items = model.types.flatMap((type) => {
    const before = new Map(
      model.itemsOf(previous, type).map((item) => [model.keyOf(type, item), versionOf(item)]),
    );
    const saved = model.itemsOf(current, type).flatMap((item): ChangedItem[] => {
      const key = model.keyOf(type, item);
      const known = before.get(key);
      before.delete(key);
      const version = versionOf(item);
      if (known === version) return [];
      const action = known === undefined ? 'create' : 'update';
      return [{ type, key, action, version: Math.max(version, 1) }];
    });
    const deleted = [...before].map(([key, version]) => ({
      type,
      key,
      action: 'delete',
      version: version + 1,
    }));
    return [...saved, ...deleted];
  });
  if (items.length > 0 && sameJson(model.propertyDocument(previous), model.propertyDocument(current)))
    return items;
  return [{ type: 'property', key: current.id, action: 'update', version: current.version }, ...items];
}
