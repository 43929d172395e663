import * as memberStore from './features/accounts/member-store.ts';
import * as feedbackTypeStore from './features/feedback/feedback-type-store.ts';
import * as flagStore from './features/flags/flag-store.ts';
import { compileRuleRegex } from './features/flags/rule-regex.ts';
import * as segmentStore from './features/flags/segment-store.ts';
import * as goalStore from './features/goals/goal-store.ts';
import { keyPreview, parseApiKey } from './features/keys/api-key.ts';
import * as keyStore from './features/keys/key-store.ts';
import * as environmentStore from './features/properties/environment-store.ts';
import * as propertyStore from './features/properties/property-store.ts';
import type { ProvisionStores } from './features/provisioning/provision-stores.ts';
import * as splitTestStore from './features/split-testing/split-test-store.ts';
import { updatePhases } from './features/split-testing/update-phases.ts';
import * as webhookStore from './features/webhooks/webhook-store.ts';

/** The stores of all features, for code that works on the whole configuration. */
export const configurationStores: ProvisionStores = {
  ...propertyStore,
  ...environmentStore,
  ...keyStore,
  ...goalStore,
  ...feedbackTypeStore,
  ...splitTestStore,
  updatePhases,
  ...flagStore,
  ...segmentStore,
  ...webhookStore,
  ...memberStore,
  parseApiKey,
  keyPreview,
  compileRuleRegex,
};
