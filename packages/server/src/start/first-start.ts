import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import type { DatabaseHandle } from '../configuration/database/database.ts';
import { type DatabaseOptions, databasePath, openDatabase } from '../configuration/database/open-database.ts';
import { propertyRules } from '../configuration/definitions/property-rules.ts';
import { OPERATOR, SYSTEM } from '../configuration/property/actor.ts';
import { OwnerRecord } from '../features/accounts/owner-record.ts';
import type { Provisioning } from '../features/provisioning/provision-apply.ts';
import type { GeneratedKey } from '../features/provisioning/provision-plan.ts';
import type { Config } from '../platform/settings/config.ts';
import { configurationModel, createConfigurationWriter } from './definitions.ts';
import { type OpenedDatabase, openNodeDatabase } from './node-database.ts';

export interface FirstStart {
  /** Whether this start created the demo property. */
  demo: boolean;
  /** Keys created by this start, to be shown once. */
  generatedKeys: readonly GeneratedKey[];
  /** Whether this start created the first owner. */
  firstOwner?: boolean;
}

/** What people need to know until the first event has arrived. */
export interface Beginning {
  /** The demo property is what there is to try. */
  hasDemo: boolean;
  hasOwner: boolean;
}

export async function describeBeginning({ database }: DatabaseHandle): Promise<Beginning> {
  const { hasOwner } = await import('../features/accounts/account-store.ts');
  const properties = await configurationModel.property.rows.list(database);
  return { hasDemo: properties.some(({ id }) => id === 'demo'), hasOwner: await hasOwner(database) };
}

/** Opens the configuration; throws if it was lost, because creating a demo property would hide the loss. */
export async function openExpectedDatabase(
  config: Config,
  hasEvents: boolean,
  sqlite: Pick<DatabaseOptions, 'openSqlite' | 'handle'>,
  log: Logger,
): Promise<OpenedDatabase> {
  const expected = hasEvents && config.provisionFile === undefined;
  if (config.databaseUrl !== undefined) {
    const opened = await openNodeDatabase(config, log);
    if (expected && opened.initial === undefined && !(await hasConfiguration(opened.handle))) {
      throw configurationLost('The database of DATABASE_URL is empty. Restore it');
    }
    return opened;
  }
  const file = databasePath(config.dataDir);
  const lost = () => configurationLost(`${file} is missing or empty. Restore it together with config.db-wal`);
  // Before opening: SQLite deletes the WAL of an empty file, and the WAL may still hold the data.
  if (expected && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) throw lost();
  const handle = await openDatabase(config.dataDir, sqlite);
  if (expected && !(await hasConfiguration(handle))) throw lost();
  return { handle };
}

function configurationLost(reason: string): Error {
  return new Error(
    `There are events, but no configuration: ${reason}, or create a new configuration with: switchyard apply FILE.`,
  );
}

/** Also if all properties were deleted: then there is a history. */
async function hasConfiguration({ database }: DatabaseHandle): Promise<boolean> {
  if ((await configurationModel.property.rows.list(database)).length > 0) return true;
  return (await database.selectFrom('history').select('id').limit(1).execute()).length > 0;
}

/**
 * Applies the provision file; without one, adds the demo property to an empty configuration. Creates the first owner. Of
 * several nodes that start at once, the first does it.
 */
export function prepareConfiguration(
  config: Config,
  handle: DatabaseHandle,
  log: Pick<Logger, 'warn'>,
): Promise<FirstStart> {
  return handle.nodes.exclusively(async () => {
    const prepared = await prepareProperties(config, handle, log);
    const firstOwner = await createFirstOwner(config, handle);
    // Also of an owner that was created on the command line.
    await new OwnerRecord(config.dataDir).needsOwner(handle.database);
    return { ...prepared, firstOwner };
  });
}

async function createFirstOwner({ firstOwner }: Config, { database }: DatabaseHandle): Promise<boolean> {
  if (firstOwner === undefined) return false;
  const { ensureFirstOwner } = await import('../features/accounts/first-owner.ts');
  return ensureFirstOwner(database, firstOwner);
}

async function prepareProperties(
  config: Config,
  handle: DatabaseHandle,
  log: Pick<Logger, 'warn'>,
): Promise<FirstStart> {
  const writer = createConfigurationWriter(handle.database);
  const model = configurationModel;
  const resolve = propertyRules(model, { allowPrivateWebhooks: config.webhookAllowPrivate });
  if (config.provisionFile !== undefined) {
    const by = { actor: OPERATOR, via: 'file' as const };
    // The server has to start: it is what deletes the events.
    const skipBeingDeleted = (propertyId: string) =>
      log.warn(
        { propertyId },
        'skipped a property of the provision file: the events of a deleted one with this id are still being deleted; restart or apply the file later',
      );
    return applyFile(config.provisionFile, { model, writer, resolve, by, skipBeingDeleted });
  }
  if (await hasConfiguration(handle)) return { demo: false, generatedKeys: [] };
  return createDemo({ model, writer, resolve, by: { actor: SYSTEM, via: 'file' } });
}

// Imported lazily: most starts provision nothing, and the YAML parser is slow to load.

async function applyFile(file: string, provisioning: Provisioning): Promise<FirstStart> {
  const { readInput, reportingMistakes } = await import('../features/provisioning/provision-input.ts');
  const { readProvisionText } = await import('../features/provisioning/provision-file.ts');
  const { applyProvision } = await import('../features/provisioning/provision-apply.ts');
  const text = await readInput(file, 'PROVISION_FILE');
  const { generatedKeys } = await reportingMistakes(file, false, async () =>
    applyProvision(provisioning, readProvisionText(text)),
  );
  return { demo: false, generatedKeys };
}

async function createDemo(provisioning: Provisioning): Promise<FirstStart> {
  const { provisionDemo } = await import('../features/provisioning/demo-property.ts');
  const { generatedKeys } = await provisionDemo(provisioning);
  return { demo: true, generatedKeys };
}
