import type { ProvisionedDecision } from '@switchyard/core/api/provisioned-split-test';
import type { SplitTestSettings } from '../../storage/configuration-settings.ts';
import type { Decision } from '../../storage/property-configuration.ts';
import { parseTime, TIME_HINT } from './parse-time.ts';
import type { Report } from './provision-mistake.ts';

interface Context {
  /** Path of the split test. */
  path: string;
  now: number;
  report: Report;
}

/** Without a time in the file, an unchanged decision keeps its time, and a new one is made now. */
export function resolveDecision(
  entry: ProvisionedDecision | null | undefined,
  known: Decision | null,
  { path, now, report }: Context,
): Decision | null {
  if (entry === undefined) return known;
  if (entry === null) return null;
  const { outcome, reason } = entry;
  const isKnown = known?.outcome === outcome && known.reason === reason;
  const decidedAt =
    entry.decidedAt === undefined ? (isKnown ? known.decidedAt : now) : parseTime(entry.decidedAt);
  if (decidedAt === undefined) report(`${path}/decision/decidedAt`, TIME_HINT);
  return { outcome, reason, decidedAt: decidedAt ?? now };
}

export function reportDecision(
  { decision, status }: Pick<SplitTestSettings, 'decision' | 'status'>,
  path: string,
  report: Report,
): void {
  if (decision === null || status === 'stopped' || status === 'archived') return;
  report(`${path}/decision`, `can only be set when the test is stopped; it is ${status}`);
}
