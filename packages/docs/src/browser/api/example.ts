import { type ApiDocument, type MediaType, type Parameter, resolved, type Schema } from './api-document.ts';

const MAX_DEPTH = 6;

/** The documented example of a body, otherwise one made from its schema. */
export function exampleOf(media: MediaType | undefined, document: ApiDocument): unknown {
  if (media === undefined) return undefined;
  if (media.example !== undefined) return media.example;
  return media.schema === undefined ? undefined : fromSchema(media.schema, document, 0);
}

export const parameterExample = ({ example, schema }: Parameter): string => {
  const value = example ?? schema.examples?.[0];
  return value === undefined ? '' : String(value);
};

function fromSchema(schema: Schema, document: ApiDocument, depth: number): unknown {
  const known = resolved(schema, document);
  const given = known.examples?.[0] ?? known.default ?? known.const ?? known.enum?.[0];
  if (given !== undefined) return given;
  if (depth > MAX_DEPTH) return null;
  if (known.anyOf !== undefined) return fromSchema(known.anyOf[0]!, document, depth + 1);
  const type = Array.isArray(known.type) ? known.type[0] : known.type;
  if (type === 'array') return known.items ? [fromSchema(known.items, document, depth + 1)] : [];
  if (type === 'object' || known.properties !== undefined) return objectExample(known, document, depth);
  return { string: 'text', number: 1, integer: 1, boolean: true }[type ?? ''] ?? null;
}

/** Only the required members, unless there are none. */
function objectExample({ properties = {}, required = [] }: Schema, document: ApiDocument, depth: number) {
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  const members = names.flatMap((name) => {
    const schema = properties[name];
    return schema === undefined ? [] : [[name, fromSchema(schema, document, depth + 1)]];
  });
  return Object.fromEntries(members);
}
