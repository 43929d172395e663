import type { ItemStore } from '../../storage/changes/configuration-writer.ts';
import { type Database, nextPosition } from '../../storage/database.ts';
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

export const feedbackTypeItems: ItemStore<FeedbackType> = {
  async insert(database, propertyId, type, at) {
    const position = await nextPosition(database, 'feedback_types', propertyId);
    await database
      .insertInto('feedback_types')
      .values({ property_id: propertyId, id: type.id, ...toColumns(type), position, created_at: at })
      .execute();
  },
  async update(database, propertyId, type) {
    await database
      .updateTable('feedback_types')
      .set(toColumns(type))
      .where('property_id', '=', propertyId)
      .where('id', '=', type.id)
      .execute();
  },
  async remove(database, propertyId, { id }) {
    await database
      .deleteFrom('feedback_types')
      .where('property_id', '=', propertyId)
      .where('id', '=', id)
      .execute();
  },
};

function toColumns({ name, options, optionStyles, textInput, version }: FeedbackType) {
  return {
    name,
    options: JSON.stringify(options),
    option_styles: JSON.stringify(optionStyles),
    text_input: textInput ? 1 : 0,
    version,
  };
}
