import { ApiError } from '../../errors.ts';
import type { FeedbackType, PropertyConfiguration } from '../../storage/property-configuration.ts';

export function requireType(property: PropertyConfiguration, id: string): FeedbackType {
  const type = property.feedbackTypes.find((candidate) => candidate.id === id);
  if (type === undefined) throw new ApiError('feedback_type_not_found');
  return type;
}

/** Throws if the type or the split test of a filter does not exist. */
export function checkReferences(
  property: PropertyConfiguration,
  { feedbackTypeId, splitTestKey }: { feedbackTypeId?: string; splitTestKey?: string },
): void {
  if (feedbackTypeId !== undefined) requireType(property, feedbackTypeId);
  if (splitTestKey !== undefined && !property.splitTests.some(({ key }) => key === splitTestKey)) {
    throw new ApiError('split_test_not_found');
  }
}
