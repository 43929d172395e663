import type { ProvisionedProperty } from '@switchyard/core/api/provisioning';
import { configurationModel } from '../definitions.ts';
import {
  applyProvision,
  type Provisioning,
  type ProvisionResult,
} from '../features/provisioning/provision-apply.ts';
import { provisionObject } from '../features/provisioning/provision-file.ts';
import { OPERATOR } from '../storage/changes/actor.ts';
import { ConfigurationWriter } from '../storage/changes/configuration-writer.ts';
import { propertyRules } from '../storage/changes/resolve-property.ts';
import type { Database } from '../storage/database.ts';

export function provisioningOf(database: Database): Provisioning {
  return {
    model: configurationModel,
    writer: new ConfigurationWriter(database, configurationModel),
    resolve: propertyRules(configurationModel, { allowPrivateWebhooks: false }),
    by: { actor: OPERATOR, via: 'file' },
  };
}

/** Applies properties as `switchyard apply` does. */
export function provisionDatabase(
  database: Database,
  ...properties: ProvisionedProperty[]
): Promise<ProvisionResult> {
  return applyProvision(provisioningOf(database), provisionObject({ properties }));
}
