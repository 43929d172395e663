import type { Condition } from '@switchyard/core/api/targeting';
import { useMemo } from 'react';
import type { Configuration } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';

/** Attributes that sessions have by themselves, or that most sites send. */
const COMMON: readonly string[] = [
  'userId',
  'visitorId',
  'sessionId',
  'email',
  'plan',
  'country',
  'device',
  'browser',
  'os',
  'version',
];

/** Names of attributes to suggest: those that conditions of this property use, then common ones. */
export function useAttributeNames(common = COMMON): readonly string[] {
  const { flags, segments, splitTests } = useProperty().configuration;
  const used = useMemo(() => usedAttributes({ flags, segments, splitTests }), [flags, segments, splitTests]);
  return [...new Set([...used, ...common])];
}

type Targeting = Pick<Configuration, 'flags' | 'segments' | 'splitTests'>;

function usedAttributes({ flags, segments, splitTests }: Targeting): string[] {
  const names = new Set<string>();
  const add = ({ attribute }: Condition) => attribute && names.add(attribute);
  for (const { conditions } of segments) conditions.forEach(add);
  for (const { audience } of splitTests) audience?.conditions.forEach(add);
  for (const { environments } of flags) {
    for (const { rules } of Object.values(environments)) {
      for (const { conditions = [] } of rules) conditions.forEach(add);
    }
  }
  return [...names].sort();
}
