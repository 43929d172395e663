import { listMembers, memberItems } from './features/accounts/member-store.ts';
import { requestErasure } from './features/erasure/erasure-store.ts';
import { assertNotBeingDeleted } from './features/erasure/property-deletions.ts';
import { feedbackTypeItems, listFeedbackTypes } from './features/feedback/feedback-type-store.ts';
import { flagItems, listFlags } from './features/flags/flag-store.ts';
import { listSegments, segmentItems } from './features/flags/segment-store.ts';
import { goalItems, listGoals } from './features/goals/goal-store.ts';
import { keyItems, listKeys } from './features/keys/key-store.ts';
import { environmentItems, listEnvironments } from './features/properties/environment-store.ts';
import {
  insertProperty,
  listProperties,
  removeProperty,
  updateProperty,
} from './features/properties/property-store.ts';
import { listSplitTests, splitTestItems } from './features/split-testing/split-test-store.ts';
import { notifyOfChange } from './features/webhooks/notify-of-change.ts';
import { listWebhooks, webhookItems } from './features/webhooks/webhook-store.ts';
import { type ConfigurationStores, ConfigurationWriter } from './storage/changes/configuration-writer.ts';
import type { Configuration } from './storage/configuration.ts';
import type { Database } from './storage/database.ts';

/** The stores of all features. Only the configuration writer saves with them. */
export const configurationStores: ConfigurationStores = {
  listProperties,
  listEnvironments,
  listKeys,
  listGoals,
  listFeedbackTypes,
  listSegments,
  listSplitTests,
  listFlags,
  listWebhooks,
  listMembers,
  insertProperty,
  updateProperty,
  removeProperty,
  items: {
    environment: environmentItems,
    goal: goalItems,
    'feedback-type': feedbackTypeItems,
    segment: segmentItems,
    'split-test': splitTestItems,
    flag: flagItems,
    key: keyItems,
    webhook: webhookItems,
    member: memberItems,
  },
};

/** The writer of configuration. With a configuration in memory, changes are visible there when it returns. */
export function createConfigurationWriter(
  database: Database,
  configuration?: Configuration,
): ConfigurationWriter {
  return new ConfigurationWriter(database, configurationStores, {
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
