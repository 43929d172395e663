import { keyedRows } from '../../configuration/definitions/keyed-rows.ts';
import type { FeedbackType } from '../../configuration/property/property-configuration.ts';

export const feedbackTypeRows = keyedRows('feedback_types', {
  toItem: (row): FeedbackType => ({
    id: row.id,
    name: row.name,
    options: JSON.parse(row.options),
    optionStyles: JSON.parse(row.option_styles),
    textInput: row.text_input === 1,
    version: row.version,
  }),
  toColumns: ({ name, options, optionStyles, textInput, version }) => ({
    name,
    options: JSON.stringify(options),
    option_styles: JSON.stringify(optionStyles),
    text_input: textInput ? 1 : 0,
    version,
  }),
});
