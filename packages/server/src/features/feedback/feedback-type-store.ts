import { keyedItemStore } from '../../storage/changes/keyed-item-store.ts';
import type { Database } from '../../storage/database.ts';
import type { FeedbackType } from '../../storage/property-configuration.ts';

export async function listFeedbackTypes(database: Database, propertyId: string): Promise<FeedbackType[]> {
  const rows = await database
    .selectFrom('feedback_types')
    .selectAll()
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    options: JSON.parse(row.options),
    optionStyles: JSON.parse(row.option_styles),
    textInput: row.text_input === 1,
    version: row.version,
  }));
}

export const feedbackTypeItems = keyedItemStore('feedback_types', toColumns);

function toColumns({ name, options, optionStyles, textInput, version }: FeedbackType) {
  return {
    name,
    options: JSON.stringify(options),
    option_styles: JSON.stringify(optionStyles),
    text_input: textInput ? 1 : 0,
    version,
  };
}
