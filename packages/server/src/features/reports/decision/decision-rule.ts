import type { DecisionRuleReport } from '@switchyard/core/api/decision/decision-rule';
import { decisionRuleReport } from '@switchyard/core/stats/report/decision-rule';
import { ORIGINS_UNKNOWN } from '@switchyard/core/stats/words/decision-rule-words';
import type { Database } from '../../../configuration/database/database.ts';
import { currentDecisionRule } from '../../../configuration/phases/fix-decision-rules.ts';
import type {
  PropertyConfiguration,
  SplitTest,
} from '../../../configuration/property/property-configuration.ts';
import { maxHarmOf, outcomeId } from '../../../configuration/property/test-outcome.ts';
import { isDatabaseUnavailable } from '../../../platform/errors/storage-error.ts';
import { changeOrigins } from './change-origins.ts';

/**
 * The rule that a test was started with, and what was changed since; the history says when, and who did. Everything else
 * is in memory, so it is known while the database is not available, as the rest of the results.
 */
export async function decisionRuleFor(
  database: Database,
  property: PropertyConfiguration,
  test: SplitTest,
): Promise<DecisionRuleReport> {
  const status = {
    fixed: test.decisionRule,
    hasStarted: test.phases.length > 0,
    current: currentDecisionRule(property, test),
  };
  const report = decisionRuleReport(status);
  if (report.fixedAt === null || report.changes.length === 0) return report;
  const since = {
    propertyId: property.id,
    splitTestKey: test.key,
    from: report.fixedAt,
    ownMargins: new Set(test.guardrails.filter((it) => maxHarmOf(it) !== undefined).map(outcomeId)),
  };
  try {
    return decisionRuleReport(status, await changeOrigins(database, since, report.changes));
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    return { ...report, incomplete: ORIGINS_UNKNOWN };
  }
}
