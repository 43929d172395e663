import type { FlagConfiguration } from '../api/targeting.ts';
import { isMeasured } from '../evaluation/measured-rules.ts';
import type { SplitTestStatus } from './status.ts';

/** Like that of a split test. Flag and rule must be on for it to run. */
export function measuredStatus(
  { enabled, rules }: Pick<FlagConfiguration, 'enabled' | 'rules'>,
  ruleId: string,
  hasStarted: boolean,
): SplitTestStatus {
  const rule = rules.find(({ id }) => id === ruleId);
  if (rule === undefined || !isMeasured(rule)) return 'stopped';
  if (enabled && rule.enabled !== false) return 'running';
  return hasStarted ? 'paused' : 'draft';
}
