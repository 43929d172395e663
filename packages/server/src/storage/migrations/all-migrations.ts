import { propertiesMigration } from './001-properties.ts';
import { keysMigration } from './002-keys.ts';
import { goalsMigration } from './003-goals.ts';
import { feedbackMigration } from './004-feedback.ts';
import { splitTestsMigration } from './005-split-tests.ts';
import { flagsMigration } from './006-flags.ts';
import { erasuresMigration } from './007-erasures.ts';
import { testLifecycleMigration } from './008-test-lifecycle.ts';
import { phasePausesMigration } from './009-phase-pauses.ts';
import { erasureRetriesMigration } from './010-erasure-retries.ts';
import { feedbackOutcomesMigration } from './011-feedback-outcomes.ts';
import { aaTestMigration } from './012-aa-test.ts';
import { modelMembersMigration } from './013-model-members.ts';
import { historyMigration } from './014-history.ts';
import { accountsMigration } from './015-accounts.ts';
import { webhookDeliveriesMigration } from './016-webhook-deliveries.ts';
import { usageMigration } from './017-usage.ts';
import { changeNotificationsMigration } from './018-change-notifications.ts';
import { feedbackPositionsMigration } from './019-feedback-positions.ts';
import { nodeJournalsMigration } from './020-node-journals.ts';
import { guardrailsAndUnitsMigration } from './021-guardrails-and-units.ts';
import { holdoutPeriodMigration } from './022-holdout-period.ts';
import { accessNotificationsMigration } from './023-access-notifications.ts';
import { suppressionsMigration } from './025-suppressions.ts';
import { privacySettingsMigration } from './026-privacy-settings.ts';
import { timeZoneMigration } from './029-time-zone.ts';
import { auditMigration } from './030-audit.ts';
import { oidcStartsAndLatePhasesMigration } from './031-oidc-starts-and-late-phases.ts';
import type { Migration } from './migration.ts';

export const ALL_MIGRATIONS: readonly Migration[] = [
  propertiesMigration,
  keysMigration,
  goalsMigration,
  feedbackMigration,
  splitTestsMigration,
  flagsMigration,
  erasuresMigration,
  testLifecycleMigration,
  phasePausesMigration,
  erasureRetriesMigration,
  feedbackOutcomesMigration,
  aaTestMigration,
  modelMembersMigration,
  historyMigration,
  accountsMigration,
  webhookDeliveriesMigration,
  usageMigration,
  changeNotificationsMigration,
  feedbackPositionsMigration,
  nodeJournalsMigration,
  guardrailsAndUnitsMigration,
  holdoutPeriodMigration,
  accessNotificationsMigration,
  suppressionsMigration,
  privacySettingsMigration,
  timeZoneMigration,
  auditMigration,
  oidcStartsAndLatePhasesMigration,
];
