import type { ProvisionedFeedbackType, ProvisionedOption } from '@switchyard/core/api/provisioning';
import type { FeedbackType, OptionStyle } from '../../storage/property-configuration.ts';
import type { Report } from './provision-mistake.ts';

export function resolveFeedbackType(
  entry: ProvisionedFeedbackType,
  known: FeedbackType | undefined,
  path: string,
  report: Report,
): FeedbackType {
  const options = entry.options?.map(optionValue) ?? known?.options ?? [];
  for (const [index, option] of options.entries()) {
    if (options.indexOf(option) < index) {
      report(`${path}/options/${index}`, `"${option}" is already in this list`);
    }
  }
  return {
    id: entry.id,
    name: entry.name ?? known?.name ?? entry.id,
    options,
    optionStyles: entry.options === undefined ? (known?.optionStyles ?? {}) : stylesOf(entry.options),
    textInput: entry.textInput ?? known?.textInput ?? false,
  };
}

export const optionValue = (option: ProvisionedOption) =>
  typeof option === 'string' ? option : option.value;

// Not assigned one by one: `__proto__` is an option like any other.
function stylesOf(options: readonly ProvisionedOption[]): Record<string, OptionStyle> {
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
