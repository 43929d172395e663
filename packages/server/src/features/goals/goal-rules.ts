import type { ProvisionedGoal } from '@switchyard/core/api/provisioning';
import { reportRepeated } from '../../configuration/definitions/repeated-entries.ts';
import type { RuleContext } from '../../configuration/definitions/rule-context.ts';
import type { Goal } from '../../configuration/property/property-configuration.ts';

type Context = Pick<RuleContext, 'mode' | 'report'>;

/** The goals of the candidate, complete. */
export function resolveGoals(
  entries: readonly ProvisionedGoal[],
  stored: readonly Goal[],
  context: Context,
): Goal[] {
  reportRepeated(entries, 'id', '/goals', context.report);
  return entries.map((entry, index) => {
    const known = stored.find(({ id }) => id === entry.id);
    return resolveGoal(entry, known, `/goals/${index}`, context);
  });
}

function resolveGoal(
  entry: ProvisionedGoal,
  known: Goal | undefined,
  path: string,
  { mode, report }: Context,
): Goal {
  const base = mode === 'merge' ? known : undefined;
  const kind = entry.kind ?? known?.kind;
  if (kind === undefined) report(`${path}/kind`, 'is missing: a new goal needs a kind, count or revenue');
  if (known !== undefined && kind !== known.kind) {
    report(`${path}/kind`, `cannot change from "${known.kind}"; create a goal with another id instead`);
  }
  const { target = base?.target ?? null } = entry;
  return {
    id: entry.id,
    name: entry.name ?? base?.name ?? entry.id,
    kind: kind ?? 'count',
    lowerIsBetter: entry.lowerIsBetter ?? base?.lowerIsBetter ?? false,
    target,
    version: known?.version ?? 0,
  };
}
