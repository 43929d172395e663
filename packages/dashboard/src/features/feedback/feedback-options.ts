import type { FeedbackType } from '../configuration/configuration-types.ts';

export type Option = FeedbackType['options'][number];

export const optionValue = (option: Option): string => (typeof option === 'string' ? option : option.value);

/** How to show an answer; an option that no longer exists is shown by its value. */
export function presentationOf(
  type: FeedbackType | undefined,
  value: string,
): { label: string; color?: string } {
  const option = type?.options.find((each) => optionValue(each) === value);
  if (option === undefined || typeof option === 'string') return { label: value };
  return { label: option.label ?? value, ...(option.color && { color: option.color }) };
}

/** All fields of an option; empty: not given. */
export function optionFields(option: Option): { value: string; label: string; color: string } {
  if (typeof option === 'string') return { value: option, label: '', color: '' };
  return { value: option.value, label: option.label ?? '', color: option.color ?? '' };
}

/** The shortest form of an option. */
export function optionOf({ value, label, color }: ReturnType<typeof optionFields>): Option {
  if (label === '' && color === '') return value;
  return { value, ...(label !== '' && { label }), ...(color !== '' && { color }) };
}
