import type { PropertyDefinition } from '../../configuration/definitions/collection-definition.ts';
import { PROPERTY_WORDS } from './property-change-words.ts';
import { propertyRows } from './property-store.ts';
import { resolveSettings } from './settings-rules.ts';

export const propertyDefinition: PropertyDefinition = {
  rows: propertyRows,
  resolve: resolveSettings,
  words: PROPERTY_WORDS,
};
