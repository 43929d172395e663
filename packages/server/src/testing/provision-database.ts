import type { ProvisionedProperty } from '@switchyard/core/api/provisioning';
import { configurationStores } from '../configuration-stores.ts';
import {
  applyProvision,
  type Provisioning,
  type ProvisionResult,
} from '../features/provisioning/provision-apply.ts';
import { provisionObject } from '../features/provisioning/provision-file.ts';
import { propertyRules } from '../property-rules.ts';
import { OPERATOR } from '../storage/changes/actor.ts';
import { ConfigurationWriter } from '../storage/changes/configuration-writer.ts';
import type { Database } from '../storage/database.ts';

export function provisioningOf(database: Database): Provisioning {
  return {
    writer: new ConfigurationWriter(database, configurationStores),
    resolve: propertyRules({ allowPrivateWebhooks: false }),
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
