import type { ProvisionedOption } from '@switchyard/core/api/provisioning';
import type { FeedbackType, OptionStyle } from '../../configuration/property/property-configuration.ts';

export const optionValue = (option: ProvisionedOption) =>
  typeof option === 'string' ? option : option.value;

// Not assigned one by one: `__proto__` is an option like any other.
export function stylesOf(options: readonly ProvisionedOption[]): Record<string, OptionStyle> {
  const styles = options.flatMap((option) => {
    if (typeof option === 'string') return [];
    const { value, ...style } = option;
    return Object.keys(style).length === 0 ? [] : [[value, style] as const];
  });
  return Object.fromEntries(styles);
}

/** The options as in a file: with their styles, if they have one. */
export function fileOptions({ options, optionStyles }: FeedbackType): ProvisionedOption[] {
  return options.map((value) =>
    Object.hasOwn(optionStyles, value) ? { value, ...optionStyles[value] } : value,
  );
}
