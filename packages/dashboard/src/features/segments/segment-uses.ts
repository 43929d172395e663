import type { Condition } from '@switchyard/core/api/targeting';
import type { ItemUse } from '../changes/use-links.tsx';
import type { Configuration, Flag } from '../configuration/configuration-types.ts';

/** The flags, other segments and split tests that use a segment. */
export function segmentUses(configuration: Configuration, id: string): ItemUse[] {
  const { flags, segments, environments, splitTests } = configuration;
  const inFlags = flags.flatMap((flag): ItemUse[] => {
    const places = environments.flatMap((environment) => {
      const numbers = ruleNumbers(flag, environment.id, id);
      const word = numbers.length === 1 ? 'rule' : 'rules';
      return numbers.length > 0 ? [`${environment.name} (${word} ${numbers.join(', ')})`] : [];
    });
    if (places.length === 0) return [];
    return [
      {
        to: `flags/${encodeURIComponent(flag.key)}`,
        label: flag.name || flag.key,
        detail: `in ${places.join(', ')}`,
      },
    ];
  });
  const inSegments = segments
    .filter(({ conditions }) => conditions.some((condition) => refersTo(condition, id)))
    .map((each) => ({
      to: `segments/${encodeURIComponent(each.id)}`,
      label: each.name || each.id,
      detail: '(segment)',
    }));
  const inTests = splitTests
    .filter(({ audience }) => audience?.conditions.some((condition) => refersTo(condition, id)))
    .map(({ key, name, status }) => ({
      to: `split-tests/${encodeURIComponent(key)}`,
      label: name || key,
      detail: `audience, ${status}`,
    }));
  return [...inFlags, ...inSegments, ...inTests];
}

function ruleNumbers(flag: Flag, environment: string, id: string): number[] {
  const rules = flag.environments[environment]?.rules ?? [];
  return rules.flatMap(({ conditions = [] }, index) =>
    conditions.some((condition) => refersTo(condition, id)) ? [index + 1] : [],
  );
}

const refersTo = ({ operator, values = [] }: Condition, id: string): boolean =>
  operator === 'inSegment' && values.includes(id);
