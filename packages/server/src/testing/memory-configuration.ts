import { expect } from 'vitest';
import { openMemoryDatabase } from '../configuration/database/open-database.ts';
import { configurationModel as model } from '../definitions.ts';
import {
  applyProvision,
  type Provisioning,
  type ProvisionResult,
  planProvision,
} from '../features/provisioning/provision-apply.ts';
import { provisionObject } from '../features/provisioning/provision-file.ts';
import { ProvisionError } from '../features/provisioning/provision-mistake.ts';
import type { ProvisionChange } from '../features/provisioning/provision-plan.ts';
import { OPERATOR } from '../storage/changes/actor.ts';
import { ConfigurationWriter } from '../storage/changes/configuration-writer.ts';
import { propertyRules } from '../storage/changes/resolve-property.ts';
import { loadProperty } from '../storage/configuration.ts';
import type { DatabaseHandle } from '../storage/database.ts';
import type { PropertyConfiguration, SplitTest } from '../storage/property-configuration.ts';
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
