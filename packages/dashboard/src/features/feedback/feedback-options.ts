import type { FeedbackType } from '../configuration/configuration-types.ts';

export type Option = FeedbackType['options'][number];

export const optionValue = (option: Option): string => (typeof option === 'string' ? option : option.value);

/** How to show an answer; an option that no longer exists is shown by its value. */
export function presentationOf(
  type: FeedbackType | undefined,
  value: string,
): { label: string; colour?: string } {
  const option = type?.options.find((each) => optionValue(each) === value);
  if (option === undefined || typeof option === 'string') return { label: value };
  return { label: option.label ?? value, ...(option.colour && { colour: option.colour }) };
}

/** All fields of an option; empty: not given. */
export function optionFields(option: Option): { value: string; label: string; colour: string } {
  if (typeof option === 'string') return { value: option, label: '', colour: '' };
  return { value: option.value, label: option.label ?? '', colour: option.colour ?? '' };
}

/** The shortest form of an option. */
export function optionOf({ value, label, colour }: ReturnType<typeof optionFields>): Option {
  if (label === '' && colour === '') return value;
  return { value, ...(label !== '' && { label }), ...(colour !== '' && { colour }) };
}
