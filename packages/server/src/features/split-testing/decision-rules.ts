import type { ProvisionedDecision } from '@switchyard/core/api/provisioned-split-test';
import { parseTime, TIME_HINT } from '../../configuration/definitions/parse-time.ts';
import type { Report, RuleContext } from '../../configuration/definitions/rule-context.ts';
import type { Decision, SplitTest } from '../../configuration/property/property-configuration.ts';

interface Context extends Pick<RuleContext, 'mode' | 'now' | 'report'> {
  /** Path of the split test. */
  path: string;
}

/** Without a time in the candidate, an unchanged decision keeps its time, and a new one is made now. */
export function resolveDecision(
  entry: ProvisionedDecision | null | undefined,
  known: Decision | null,
  { path, mode, now, report }: Context,
): Decision | null {
  if (entry === undefined && mode === 'merge') return known;
  if (entry === undefined || entry === null) return null;
  const { outcome, reason } = entry;
  const isKnown = known?.outcome === outcome && known.reason === reason;
  const decidedAt =
    entry.decidedAt === undefined ? (isKnown ? known.decidedAt : now) : parseTime(entry.decidedAt);
  if (decidedAt === undefined) report(`${path}/decision/decidedAt`, TIME_HINT);
  return { outcome, reason, decidedAt: decidedAt ?? now };
}

export function reportDecision(
  { decision, status }: Pick<SplitTest, 'decision' | 'status'>,
  path: string,
  report: Report,
): void {
  if (decision === null || status === 'stopped' || status === 'archived') return;
  report(`${path}/decision`, `can only be set when the test is stopped; it is ${status}`);
}
