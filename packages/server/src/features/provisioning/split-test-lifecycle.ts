import { nextStatuses, type SplitTestStatus } from '@switchyard/core/lifecycle/status';
import type { SplitTestSettings } from '../../storage/configuration-settings.ts';
import type { SplitTest } from '../../storage/property-configuration.ts';
import { sameJson } from './field-changes.ts';
import type { Report } from './provision-mistake.ts';

type Field = Exclude<keyof SplitTestSettings, 'key' | 'status'>;

// Spelt out, so that a new field has to say when it may change.
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
];

/** Names every step and change that the status of a stored test does not allow. */
export function reportLifecycle(
  known: SplitTest,
  wanted: SplitTestSettings,
  path: string,
  report: Report,
): void {
  const allowed = nextStatuses(known.status);
  if (wanted.status !== known.status && !allowed.includes(wanted.status)) {
    const ways = allowed.length === 0 ? 'it stays as it is' : `it can go to ${allowed.join(' or ')}`;
    report(`${path}/status`, `cannot go from ${known.status} to ${wanted.status}; ${ways}`);
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
    return { fields: [...DEFINITION, 'name', 'winner'], because: 'the test is archived' };
  if (status === 'stopped')
    return { fields: DEFINITION, because: 'the test is stopped, only its name and winner can' };
  if (status === 'draft') return { fields: [], because: '' };
  if (next === 'stopped')
    return { fields: DEFINITION, because: 'the test stops with what it ran with, only name and winner can' };
  return { fields: ['type', 'startAt'], because: `the test has started and is ${status}` };
}

const hasStarted = (status: SplitTestStatus) => status === 'running' || status === 'paused';

/** The goal that decides must not be picked by its results. */
function reportPrimaryGoal(known: SplitTest, wanted: SplitTestSettings, path: string, report: Report): void {
  const [primary] = known.goals;
  if (wanted.status === 'stopped' || primary === undefined || wanted.goals[0] === primary) return;
  report(
    `${path}/goals`,
    `must begin with "${primary}": the primary goal cannot change, the test has started and is ${known.status}`,
  );
}
