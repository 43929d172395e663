import { unknownName } from '@switchyard/core/evaluation/closest-name';
import { isTestKey } from '../../configuration/property/measured-rules.ts';
import type {
  FeedbackType,
  PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import { ApiError } from '../../platform/errors/errors.ts';

export function requireType(property: PropertyConfiguration, id: string): FeedbackType {
  const type = property.feedbackTypes.find((candidate) => candidate.id === id);
  if (type !== undefined) return type;
  const known = property.feedbackTypes.map((candidate) => candidate.id);
  throw new ApiError('feedback_type_not_found', {
    message: `The property has no feedback type${unknownName(id, known)}`,
  });
}

interface References {
  feedbackTypeId?: string;
  splitTestKey?: string;
  flagKey?: string;
  environment?: string;
}

/** Throws if something that a filter names does not exist. */
export function checkReferences(
  property: PropertyConfiguration,
  { feedbackTypeId, splitTestKey, flagKey, environment }: References,
): void {
  if (feedbackTypeId !== undefined) requireType(property, feedbackTypeId);
  if (splitTestKey !== undefined && !isTestKey(property, splitTestKey)) {
    throw new ApiError('split_test_not_found');
  }
  if (flagKey !== undefined && !property.flags.some(({ key }) => key === flagKey)) {
    throw new ApiError('not_found', { message: `There is no flag "${flagKey}".` });
  }
  if (environment !== undefined && !property.environments.some(({ id }) => id === environment)) {
    throw new ApiError('environment_not_found');
  }
}
