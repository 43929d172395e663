import type { Impact } from '@switchyard/core/api/impact';
import { formatCount, formatPercent, plural } from '../../ui/format/format.ts';
import type { Environment } from '../configuration/configuration-types.ts';

type NamedEnvironments = readonly Pick<Environment, 'id' | 'name'>[];

/** "120 of 4,819 visitors of the last 7 days would see something else." */
export function summaryWords(impact: Impact, changed: number, what: string): string {
  const { visitors, days, sampled } = impact;
  if (visitors === 0) return `No visitors in the last ${days} days.`;
  const sample = sampled < 1 ? ` (a sample of ${formatPercent(sampled)} of them)` : '';
  const who = changed === visitors ? 'All' : `${changed === 0 ? 'None' : formatCount(changed)} of`;
  return `${who} ${plural(visitors, 'visitor')} of the last ${days} days${sample} would ${what}.`;
}

/** What would happen to the visitors, and in which environments. */
export function anotherValueWords({ changed, flags = [] }: Impact, environments: NamedEnvironments): string {
  const isChanged = ({ id }: { id: string }) =>
    flags.some((flag) => flag.environments.some((each) => each.environment === id && each.changed > 0));
  const affected = changed === 0 ? [] : environments.filter(isChanged);
  const names = (list: NamedEnvironments) => list.map(({ name, id }) => name || id).join(' and ');
  const there = affected.filter(({ id }) => isVisited(id, environments));
  const elsewhere = affected.filter(({ id }) => !isVisited(id, environments));
  return [
    'get another value',
    there.length > 0 && environments.length > 1 && ` in ${names(there)}`,
    there.length > 0 && elsewhere.length > 0 && ', or',
    elsewhere.length > 0 && `${there.length > 0 ? '' : ','} if they were in ${names(elsewhere)}`,
  ]
    .filter(Boolean)
    .join('');
}

/** Sessions do not say their environment: the visitors of a property are those of production. */
export const isVisited = (environmentId: string, environments: NamedEnvironments): boolean =>
  environmentId === PRODUCTION || !environments.some(({ id }) => id === PRODUCTION);

const PRODUCTION = 'production';
