import type { Library, LibraryOutcome } from '@switchyard/core/api/learning/library';

export type LibraryPage = Library;
export type FinishedTest = Library['tests'][number];
export type Record = Library['record'];

export const OUTCOMES: { value: LibraryOutcome; label: string }[] = [
  { value: 'ship', label: 'Shipped' },
  { value: 'roll-back', label: 'Rolled back' },
  { value: 'no-difference', label: 'No difference' },
  { value: 'other', label: 'Other' },
  { value: 'undecided', label: 'No decision' },
];

export const outcomeLabel = (outcome: LibraryOutcome): string =>
  OUTCOMES.find(({ value }) => value === outcome)!.label;
