import { managed } from '@switchyard/core/api/management';
import { ProvisionedFeedbackType, type ProvisionedOption } from '@switchyard/core/api/provisioning';
import type { CollectionDefinition } from '../../configuration/definitions/collection-definition.ts';
import { fileOptions, optionValue, stylesOf } from './feedback-options.ts';
import { FEEDBACK_TYPE_WORDS } from './feedback-type-change-words.ts';
import { resolveFeedbackTypes } from './feedback-type-rules.ts';
import { feedbackTypeRows } from './feedback-type-store.ts';

export const feedbackTypeDefinition: CollectionDefinition<'feedback-type'> = {
  type: 'feedback-type',
  field: 'feedbackTypes',
  keyField: 'id',
  tables: { feedback_types: ['property_id', 'id'] },
  rows: feedbackTypeRows,
  /** Options with their styles, as in a provision file. */
  toDocument(type) {
    const { optionStyles: _styles, ...document } = type;
    return { ...document, options: fileOptions(type) };
  },
  fromDocument(document) {
    const options = document.options as ProvisionedOption[];
    return { ...document, options: options.map(optionValue), optionStyles: stylesOf(options) };
  },
  resolve: resolveFeedbackTypes,
  words: { fields: FEEDBACK_TYPE_WORDS },
  file: {},
  managed: {
    path: 'feedback-types',
    body: ProvisionedFeedbackType,
    response: managed('ManagedFeedbackType', ProvisionedFeedbackType.properties),
    access: 'editor',
  },
};
