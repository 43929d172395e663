import type { Difference } from '@switchyard/core/merge/differences';
import type { Changed } from '../../storage/changes/configuration-writer.ts';
import { describeItemChanges, type StateBefore } from '../../storage/changes/describe-changes.ts';
import { documentOf, findItem, type ItemType, propertyDocument } from '../../storage/changes/entities.ts';
import { openedPhases } from '../../storage/changes/opened-phases.ts';
import { affectedEnvironments } from '../../storage/changes/protected-environments.ts';
import type { PropertyConfiguration } from '../../storage/property-configuration.ts';

/** The response to `?dryRun=true`. */
export function dryRunResponse(changed: Changed, needsApproval: readonly string[] = []): object {
  const { previous, current, changes } = changed;
  const opensPhase = current === undefined ? [] : openedPhases(previous, current);
  return {
    dryRun: true,
    changes: changes.flatMap(({ differences }) => differences.map(withNulls)),
    summary: summaryOf(changed),
    warnings: warningsOf(changed),
    ...(opensPhase.length > 0 && { opensPhase }),
    ...(needsApproval.length > 0 && { needsApproval }),
  };
}

export function summaryOf({
  previous,
  current,
  changes,
}: Pick<Changed, 'previous' | 'current' | 'changes'>): string[] {
  const names = current ?? previous;
  if (names === undefined) return [];
  const before: StateBefore = (type, key) => {
    if (previous === undefined) return undefined;
    if (type === 'property') return propertyDocument(previous);
    const item = findItem(previous, type as ItemType, key);
    return item && documentOf(type as ItemType, item);
  };
  return describeItemChanges(changes, before, names);
}

/** The response to `?dryRun=true` of deleting a property. */
export function dryRunOfDeletion(changed: Changed, events: number): object {
  const count = events === 1 ? '1 event' : `${events.toLocaleString('en')} events`;
  const warnings = [
    `Deletes the property "${changed.propertyId}" with all its items and ${count}; its history stays.`,
    'Events are deleted from all files in the background. They cannot be restored.',
  ];
  return { ...dryRunResponse(changed), warnings, events };
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
      ({ splitTest }) => `Opens a new phase of the split test "${splitTest}": its results start over.`,
    ),
    ...stoppedTests(previous, current).map(
      (key) => `Stops the split test "${key}". A stopped test cannot be restarted.`,
    ),
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
