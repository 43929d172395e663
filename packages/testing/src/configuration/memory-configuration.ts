import { expect } from 'vitest';
import type { DatabaseHandle } from '../../../server/src/configuration/database/database.ts';
import { openMemoryDatabase } from '../../../server/src/configuration/database/open-database.ts';
import { propertyRules } from '../../../server/src/configuration/definitions/property-rules.ts';
import { OPERATOR } from '../../../server/src/configuration/property/actor.ts';
import type {
  PropertyConfiguration,
  SplitTest,
} from '../../../server/src/configuration/property/property-configuration.ts';
import { loadProperty } from '../../../server/src/configuration/snapshot/configuration.ts';
import { ConfigurationWriter } from '../../../server/src/configuration/writer/configuration-writer.ts';
import {
  applyProvision,
  type Provisioning,
  type ProvisionResult,
  planProvision,
} from '../../../server/src/features/provisioning/provision-apply.ts';
import { provisionObject } from '../../../server/src/features/provisioning/provision-file.ts';
import { ProvisionError } from '../../../server/src/features/provisioning/provision-mistake.ts';
import type { ProvisionChange } from '../../../server/src/features/provisioning/provision-plan.ts';
import { configurationModel as model } from '../../../server/src/start/definitions.ts';
import type { Engine } from './databases.ts';

type Fields = Record<string, unknown>;

/** A temporary configuration with one property `shop`, whose fields are given as in a provision file. */
export class MemoryConfiguration {
  readonly handle: DatabaseHandle;
  readonly writer: ConfigurationWriter;
  readonly provisioning: Provisioning;

  constructor(handle: DatabaseHandle) {
    this.handle = handle;
    this.writer = new ConfigurationWriter(handle.database, model);
    const resolve = propertyRules(model, { allowPrivateWebhooks: false });
    this.provisioning = { model, writer: this.writer, resolve, by: { actor: OPERATOR, via: 'file' } };
  }

  apply(shop: Fields): Promise<ProvisionResult> {
    return applyProvision(this.provisioning, sourceOf(shop));
  }

  plan(shop: Fields): Promise<ProvisionChange[]> {
    return planProvision(this.provisioning, sourceOf(shop));
  }

  /** Expects `apply` to fail without changes; returns each mistake as path below the property and message. */
  async mistakes(shop: Fields): Promise<string[]> {
    const before = await this.property();
    const error: unknown = await this.apply(shop).then(
      () => undefined,
      (reason) => reason,
    );
    expect(error).toBeInstanceOf(ProvisionError);
    expect(await this.property()).toEqual(before);
    return (error as ProvisionError).mistakes.map(
      ({ path, message }) => `${path.replace('/properties/0/', '')} ${message}`,
    );
  }

  async property(): Promise<PropertyConfiguration | undefined> {
    const [stored] = await model.property.rows.list(this.handle.database);
    return stored && loadProperty(this.handle.database, model, stored);
  }

  async test(key: string): Promise<SplitTest> {
    const found = (await this.property())?.splitTests.find((test) => test.key === key);
    if (found === undefined) throw new Error(`split test "${key}" not found`);
    return found;
  }
}

const sourceOf = (shop: Fields) => provisionObject({ properties: [{ id: 'shop', ...shop }] });

/** @param engine default: SQLite */
export async function openMemoryConfiguration(engine?: Engine): Promise<MemoryConfiguration> {
  return new MemoryConfiguration(
    await (engine === undefined ? openMemoryDatabase() : engine.openTemporary()),
  );
}
