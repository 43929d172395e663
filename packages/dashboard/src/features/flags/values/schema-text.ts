import type { JsonSchema } from '@switchyard/core/api/targeting';

/** A text is not JSON yet: it stays in the draft, and the server refuses it. */
export type FlagSchema = JsonSchema | string;

/** @example schemaOf('{"minimum":0}') // { minimum: 0 } */
export function schemaOf(text: string): FlagSchema | undefined {
  if (text.trim() === '') return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    // Other JSON is no schema either, but a lone text would lose its quotes.
    return typeof parsed === 'object' && parsed !== null ? (parsed as JsonSchema) : text;
  } catch {
    return text;
  }
}

export const schemaText = (schema: FlagSchema | undefined): string =>
  typeof schema === 'object' ? JSON.stringify(schema, null, 2) : (schema ?? '');
