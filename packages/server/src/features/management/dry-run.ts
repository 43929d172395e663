import type { Difference } from '@switchyard/core/merge/differences';
import { ruleChanges } from '@switchyard/core/stats/report/decision-rule';
import { describeItemChanges, type StateBefore } from '../../configuration/changes/describe-changes.ts';
import { affectedEnvironments } from '../../configuration/changes/protected-environments.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import { currentDecisionRule } from '../../configuration/phases/fix-decision-rules.ts';
import { nameOfOpened, openedPhases } from '../../configuration/phases/opened-phases.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { Changed } from '../../configuration/writer/configuration-writer.ts';

/** The response to `?dryRun=true`. */
export function dryRunResponse(
  model: ConfigurationModel,
  changed: Changed,
  needsApproval: readonly string[] = [],
): object {
  const { previous, current, changes } = changed;
  const opensPhase = current === undefined ? [] : openedPhases(previous, current);
  return {
    dryRun: true,
    changes: changes.flatMap(({ differences }) => differences.map(withNulls)),
    summary: summaryOf(model, changed),
    warnings: warningsOf(changed),
    ...(opensPhase.length > 0 && { opensPhase }),
    ...(needsApproval.length > 0 && { needsApproval }),
  };
}

export function summaryOf(
  model: ConfigurationModel,
  { previous, current, changes }: Pick<Changed, 'previous' | 'current' | 'changes'>,
): string[] {
  const names = current ?? previous;
  if (names === undefined) return [];
  const before: StateBefore = (type, key) => {
    if (previous === undefined) return undefined;
    if (type === 'property') return model.propertyDocument(previous);
    const item = model.findItem(previous, type, key);
    return item && model.documentOf(type, item);
  };
  return describeItemChanges(model, changes, before, names);
}

/** The response to `?dryRun=true` of deleting a property. */
export function dryRunOfDeletion(model: ConfigurationModel, changed: Changed, events: number): object {
  const count = events === 1 ? '1 event' : `${events.toLocaleString('en')} events`;
  const warnings = [
    `Deletes the property "${changed.propertyId}" with all its items and ${count}; its history stays.`,
    'Events are deleted from all files in the background. They cannot be restored.',
  ];
  return { ...dryRunResponse(model, changed), warnings, events };
}

/** JSON has no undefined. */
export const withNulls = ({ pointer, before, after }: Difference) => ({
  pointer,
  before: before ?? null,
  after: after ?? null,
});

function warningsOf(changed: Changed): string[] {
  const { previous, current, changes } = changed;
  if (previous === undefined) return [];
  if (current === undefined) return [];
  return [
    ...openedPhases(previous, current).map(
      (phase) => `Opens a new phase of ${nameOfOpened(phase)}: its results start over.`,
    ),
    ...stoppedTests(previous, current).map(
      (key) => `Stops the split test "${key}". A stopped test cannot be restarted.`,
    ),
    ...changedRules(previous, current),
    ...affectedEnvironments(previous, current, changes).map(
      (id) => `Affects the protected environment "${id}".`,
    ),
  ];
}

function stoppedTests(previous: PropertyConfiguration, current: PropertyConfiguration): string[] {
  const before = new Map(previous.splitTests.map(({ key, status }) => [key, status]));
  return current.splitTests
    .filter(({ key, status }) => status === 'stopped' && before.get(key) !== 'stopped')
    .map(({ key }) => key);
}

/** More tests are only counted. */
const MAX_CHANGED_RULES = 5;

/** Tests that have started and would be decided in another way. */
function changedRules(previous: PropertyConfiguration, current: PropertyConfiguration): string[] {
  const before = new Map(previous.splitTests.map((test) => [test.key, test]));
  const warnings = current.splitTests.flatMap((test) => {
    const known = before.get(test.key);
    if (known === undefined || (test.status !== 'running' && test.status !== 'paused')) return [];
    if (known.status === 'draft') return [];
    const changes = ruleChanges(currentDecisionRule(previous, known), currentDecisionRule(current, test));
    if (changes.length === 0) return [];
    const words = changes.map((change) => change.words).join('; ');
    return [`Changes how the split test "${test.key}" is decided, after its start. ${words}.`];
  });
  const more = warnings.length - MAX_CHANGED_RULES;
  if (more <= 0) return warnings;
  return [
    ...warnings.slice(0, MAX_CHANGED_RULES),
    `Changes how ${more} more split tests are decided, after their start.`,
  ];
}
