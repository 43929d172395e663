import { nextStatuses, type SplitTestStatus } from '@switchyard/core/lifecycle/status';
import { sameJson } from '@switchyard/core/merge/json-value';
import { nameOf } from '../../configuration/definitions/outcome-checks.ts';
import type { Report } from '../../configuration/definitions/rule-context.ts';
import type { SplitTest } from '../../configuration/property/property-configuration.ts';
import { outcomeId } from '../../configuration/property/test-outcome.ts';

type Field = Exclude<
  keyof SplitTest,
  'id' | 'key' | 'status' | 'phases' | 'decisionRule' | 'createdAt' | 'version'
>;

// Listed explicitly: when a field is added, decide whether it may change. A decision may change even in the archive.
const DEFINITION: readonly Field[] = [
  'type',
  'hashSeed',
  'trafficAllocation',
  'variations',
  'exclusion',
  'startAt',
  'stopAt',
  'goals',
  'guardrails',
  'attributionDays',
  'plannedVisitors',
  'smallestEffect',
  'unit',
  'audience',
  'onHarm',
];

/** Words about the test, which do not affect its results. */
const NOTES: readonly Field[] = ['name', 'description', 'hypothesis', 'tags', 'owner'];

const CHANGEABLE = `only ${NOTES.join(', ')}, winner and decision can change`;

/** Reports every change that the status of a stored test does not allow. */
export function reportLifecycle(known: SplitTest, wanted: SplitTest, path: string, report: Report): void {
  const allowed = nextStatuses(known.status);
  if (wanted.status !== known.status && !allowed.includes(wanted.status)) {
    const hint = allowed.length === 0 ? 'no change is allowed' : `allowed: ${allowed.join(', ')}`;
    report(`${path}/status`, `cannot change from ${known.status} to ${wanted.status}; ${hint}`);
  }
  const { fields, because } = frozenFields(known.status, wanted.status);
  for (const field of fields) {
    if (!sameJson(known[field], wanted[field])) report(`${path}/${field}`, `cannot change: ${because}`);
  }
  if (hasStarted(known.status)) reportPrimaryGoal(known, wanted, path, report);
}

function frozenFields(
  status: SplitTestStatus,
  next: SplitTestStatus,
): { fields: readonly Field[]; because: string } {
  if (status === 'archived')
    return { fields: [...DEFINITION, ...NOTES, 'winner'], because: 'the test is archived' };
  if (status === 'stopped') return { fields: DEFINITION, because: `the test is stopped; ${CHANGEABLE}` };
  if (status === 'draft') return { fields: [], because: '' };
  if (next === 'stopped') return { fields: DEFINITION, because: `the test is being stopped; ${CHANGEABLE}` };
  return { fields: ['type', 'startAt'], because: `the test has started and is ${status}` };
}

const hasStarted = (status: SplitTestStatus) => status === 'running' || status === 'paused';

/** The primary goal must not be chosen by its results. */
function reportPrimaryGoal(known: SplitTest, wanted: SplitTest, path: string, report: Report): void {
  const [primary] = known.goals;
  const [next] = wanted.goals;
  if (wanted.status === 'stopped' || primary === undefined) return;
  if (next !== undefined && outcomeId(next) === outcomeId(primary)) return;
  report(
    `${path}/goals`,
    `must start with ${nameOf(primary)}: the primary goal cannot change, the test has started and is ${known.status}`,
  );
}
