import type { ProvisionedEnvironment } from '@switchyard/core/api/provisioning';
import { reportRepeated } from '../../configuration/definitions/repeated-entries.ts';
import type { RuleContext } from '../../configuration/definitions/rule-context.ts';
import { type Environment, PRODUCTION } from '../../configuration/property/property-configuration.ts';

type Context = Pick<RuleContext, 'mode' | 'report'>;

/** The environments of the candidate, complete. Every property has `production`, even if nobody mentions it. */
export function resolveEnvironments(
  entries: readonly ProvisionedEnvironment[],
  stored: readonly Environment[],
  context: Context,
): Environment[] {
  reportRepeated(entries, 'id', '/environments', context.report);
  const resolve = (entry: ProvisionedEnvironment) =>
    resolveEnvironment(
      entry,
      stored.find(({ id }) => id === entry.id),
      context,
    );
  const isKnown = [...stored, ...entries].some(({ id }) => id === PRODUCTION.id);
  return isKnown ? entries.map(resolve) : [PRODUCTION, ...entries].map(resolve);
}

function resolveEnvironment(
  entry: ProvisionedEnvironment,
  known: Environment | undefined,
  { mode }: Context,
): Environment {
  const base = mode === 'merge' ? known : undefined;
  const defaultName = entry.id === PRODUCTION.id ? PRODUCTION.name : entry.id;
  return {
    id: entry.id,
    name: entry.name ?? base?.name ?? defaultName,
    protected: entry.protected ?? base?.protected ?? false,
    version: known?.version ?? 0,
  };
}
