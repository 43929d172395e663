import type { Flag } from '../configuration/configuration-types.ts';

/** The values that a flag can have in any environment, as texts; the default value comes last. */
export function flagValues({ type, defaultValue, environments }: Flag): string[] {
  if (type === 'boolean') return ['true', 'false'];
  const configured = Object.values(environments).flatMap(({ value, rules = [] }) => [
    ...rules.flatMap((rule) => rule.split?.map((entry) => entry.value) ?? rule.value ?? []),
    value,
  ]);
  // The API cannot be asked for an empty text.
  return [...new Set([...configured, defaultValue].map(String))].filter((value) => value !== '');
}
