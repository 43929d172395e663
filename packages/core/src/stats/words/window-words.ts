import { plural } from './numbers.ts';

/** For how long visitors are followed, as the subject of a sentence: "7 days are", "day is", or with `of` "7 days of it are". */
export function windowIs(withinDays: number | null, of = ''): string {
  const subject = withinDays === null ? 'time' : withinDays === 1 ? 'day' : plural(withinDays, 'day');
  return `${subject}${of} ${withinDays === null || withinDays === 1 ? 'is' : 'are'}`;
}

/** Such as "the 7 days of the first visitors are". */
export const firstWindowsAre = (withinDays: number | null = null) =>
  `the ${windowIs(withinDays, ' of the first visitors')}`;
