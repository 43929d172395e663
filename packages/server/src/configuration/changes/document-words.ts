import type { ConfigurationModel } from '../definitions/configuration-model.ts';
import type { Document, EntityType } from '../property/entities.ts';
import { members, type Names } from '../words/change-words.ts';

/** Maintained by the server, so not worth a line. */
const HIDDEN = { id: null, createdAt: null, phases: null, decisionRule: null };

/**
 * What changed in an item, a line each, such as `Production, rule 1 (“Beta users”): rollout 10 % → 25 %`. Documents
 * may be partial: what neither has is unchanged.
 */
export function documentWords(
  model: ConfigurationModel,
  type: EntityType,
  before: Document | undefined,
  after: Document,
  names: Names,
): string[] {
  const words = type === 'property' ? model.property.words : model.collection(type).words.fields;
  return members({ ...HIDDEN, ...words })({ from: before, to: after, isNew: before === undefined, names });
}
