import type { Database } from '../configuration/database/database.ts';
import { ConfigurationModel } from '../configuration/definitions/configuration-model.ts';
import type { Configuration } from '../configuration/snapshot/configuration.ts';
import { ConfigurationWriter } from '../configuration/writer/configuration-writer.ts';
import { environmentDefinition } from '../features/environments/definition.ts';
import { requestErasure } from '../features/erasure/erasure-store.ts';
import { assertNotBeingDeleted } from '../features/erasure/property-deletions.ts';
import { feedbackTypeDefinition } from '../features/feedback-types/definition.ts';
import { flagDefinition } from '../features/flags/definition.ts';
import { goalDefinition } from '../features/goals/definition.ts';
import { keyDefinition } from '../features/keys/definition.ts';
import { memberDefinition } from '../features/members/definition.ts';
import { metricDefinition } from '../features/metrics/definition.ts';
import { propertyDefinition } from '../features/properties/definition.ts';
import { segmentDefinition } from '../features/segments/definition.ts';
import { splitTestDefinition } from '../features/split-testing/definition.ts';
import { webhookDefinition } from '../features/webhooks/definition.ts';
import { notifyOfChange } from '../features/webhooks/notify-of-change.ts';

/** All nouns. The API and its documentation have them in this order. */
export const configurationModel = new ConfigurationModel(propertyDefinition, [
  environmentDefinition,
  splitTestDefinition,
  flagDefinition,
  segmentDefinition,
  goalDefinition,
  metricDefinition,
  feedbackTypeDefinition,
  keyDefinition,
  webhookDefinition,
  memberDefinition,
]);

/** The writer of configuration. With a configuration in memory, changes are visible there when it returns. */
export function createConfigurationWriter(
  database: Database,
  configuration?: Configuration,
): ConfigurationWriter {
  return new ConfigurationWriter(database, configurationModel, {
    ...(configuration && { configuration }),
    beforeCreation: assertNotBeingDeleted,
    afterChange: async (transaction, changed, request) => {
      await notifyOfChange(transaction, changed, request);
      // In the same transaction, so that no deleted property keeps its events.
      if (changed.current === undefined) {
        await requestErasure(transaction, { propertyId: changed.propertyId, everything: true });
      }
    },
  });
}
