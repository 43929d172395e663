import type { ProvisionedProperty } from '@switchyard/core/api/provisioning';
import type { Database } from '../../../server/src/configuration/database/database.ts';
import { propertyRules } from '../../../server/src/configuration/definitions/property-rules.ts';
import { OPERATOR } from '../../../server/src/configuration/property/actor.ts';
import { ConfigurationWriter } from '../../../server/src/configuration/writer/configuration-writer.ts';
import {
  applyProvision,
  type Provisioning,
  type ProvisionResult,
} from '../../../server/src/features/provisioning/provision-apply.ts';
import { provisionObject } from '../../../server/src/features/provisioning/provision-file.ts';
import { configurationModel } from '../../../server/src/start/definitions.ts';

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
