import type { Period } from '../../ui/fields/period-of.ts';

/** Filters of the inbox, in the URL; empty: everything. They have the names of the API. */
export const FEEDBACK_FILTERS = {
  feedbackTypeId: '',
  option: '',
  search: '',
  hasMessage: '',
  splitTestKey: '',
  variationKey: '',
  flagKey: '',
  flagValue: '',
  environment: '',
  status: '',
  sessionId: '',
  visitorId: '',
} as const;

export type FeedbackFilters = Record<keyof typeof FEEDBACK_FILTERS, string>;
export type ChangeFilters = (changes: Partial<FeedbackFilters>) => void;

/** The query of the API for the filters in the URL. */
export function feedbackQuery(propertyId: string, filters: FeedbackFilters, { from, to }: Period) {
  return {
    ...filters,
    // Only with the test that has it.
    variationKey: filters.splitTestKey === '' ? '' : filters.variationKey,
    // A flag only with a value, and a value only with its flag.
    ...(isFlagFilter(filters) ? {} : { flagKey: '', flagValue: '', environment: '' }),
    propertyId,
    from,
    to,
  };
}
/** Whether a flag and its value are chosen. */
export const isFlagFilter = ({ flagKey, flagValue }: FeedbackFilters) => flagKey !== '' && flagValue !== '';
export type FeedbackQuery = ReturnType<typeof feedbackQuery>;
/** The query of the list, which may have no end. */
export type FeedbackListQuery = Omit<FeedbackQuery, 'to'> & { to: number | undefined };

export const STATUS_LABELS = { new: 'New', seen: 'Seen', done: 'Done' } as const;
