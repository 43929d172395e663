import { element } from '../element.ts';
import { type ApiDocument, nameOf, resolved, type Schema } from './api-document.ts';
import { formatted } from './formatted-text.ts';

/** The members of an object, one per row; nested objects are opened on demand. */
export function schemaView(schema: Schema, document: ApiDocument): HTMLElement {
  const target = membersOf(schema, document);
  if (target === undefined) {
    return element('p', { class: 'fields' }, element('code', { class: 'type' }, typeText(schema, document)));
  }
  const required = new Set(target.required);
  const rows = Object.entries(target.properties ?? {}).map(([name, member]) =>
    fieldRow({ name, schema: member, isRequired: required.has(name) }, document),
  );
  return element('div', { class: 'fields' }, ...rows);
}

export interface Field {
  name: string;
  schema: Schema;
  isRequired: boolean;
  description?: string | undefined;
}

export function fieldRow(
  { name, schema, isRequired, description }: Field,
  document: ApiDocument,
): HTMLElement {
  const known = resolved(schema, document);
  const text = description ?? schema.description ?? known.description;
  const limits = limitsOf(known);
  return element(
    'div',
    { class: 'field' },
    element(
      'div',
      { class: 'name' },
      element('code', {}, name),
      element('span', { class: 'type' }, typeText(schema, document)),
      isRequired && element('span', { class: 'required' }, 'required'),
    ),
    text !== undefined && element('div', { class: 'about' }, formatted(text)),
    limits !== '' && element('div', { class: 'limits' }, limits),
    nested(schema, document),
  );
}

/** The schema with members inside a schema: the object itself, the items of an array, the values of a map. */
function membersOf(schema: Schema, document: ApiDocument): Schema | undefined {
  const known = resolved(schema, document);
  if (Object.keys(known.properties ?? {}).length > 0) return known;
  const { items, additionalProperties, anyOf } = known;
  const inner = items ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  if (inner !== undefined) return membersOf(inner, document);
  const alternatives = (anyOf ?? []).map((each) => membersOf(each, document));
  return alternatives.find((each) => each !== undefined);
}

function nested(schema: Schema, document: ApiDocument): HTMLElement | undefined {
  const alternatives = (resolved(schema, document).anyOf ?? [schema]).filter(
    (each) => membersOf(each, document) !== undefined,
  );
  if (alternatives.length === 0) return undefined;
  return element(
    'div',
    { class: 'nested' },
    ...alternatives.map((each) => {
      const summary = element('summary', {}, `Fields of ${typeText(each, document)}`);
      const details = element('details', {}, summary);
      // Schemas can contain themselves, so each level is added when it is opened.
      details.addEventListener('toggle', () => details.append(schemaView(each, document)), { once: true });
      return details;
    }),
  );
}

function typeText(schema: Schema, document: ApiDocument): string {
  const known = resolved(schema, document);
  if (known.const !== undefined) return JSON.stringify(known.const);
  if (known.enum !== undefined && known.enum.length <= 8) {
    return known.enum.map((value) => JSON.stringify(value)).join(' | ');
  }
  if (known.anyOf !== undefined) {
    return [...new Set(known.anyOf.map((each) => typeText(each, document)))].join(' | ');
  }
  if (known.items !== undefined) return `${inParentheses(typeText(known.items, document))}[]`;
  const name = nameOf(schema);
  if (name !== undefined && known.type === 'object') return name;
  if (typeof known.additionalProperties === 'object') {
    return `map of ${typeText(known.additionalProperties, document)}`;
  }
  const type = Array.isArray(known.type) ? known.type.join(' | ') : known.type;
  return known.enum !== undefined ? `${type}, one of ${known.enum.length}` : (type ?? 'any value');
}

const inParentheses = (text: string) => (text.includes(' ') ? `(${text})` : text);

function limitsOf(schema: Schema): string {
  const between = (low: number | undefined, high: number | undefined, unit: string) => {
    if (low === undefined && high === undefined) return undefined;
    if (high === undefined) return low === 0 ? undefined : `at least ${low}${unit}`;
    return low === undefined || (low === 0 && unit !== '')
      ? `at most ${high}${unit}`
      : `${low} to ${high}${unit}`;
  };
  const { default: preset, enum: values = [] } = schema;
  return [
    preset !== undefined && `Default: ${JSON.stringify(preset)}`,
    between(schema.minimum, schema.maximum, ''),
    schema.exclusiveMinimum !== undefined && `more than ${schema.exclusiveMinimum}`,
    between(schema.minLength, schema.maxLength, ' characters'),
    between(schema.minItems, schema.maxItems, ' items'),
    schema.pattern !== undefined && `matches ${schema.pattern}`,
    values.length > 8 && values.join(', '),
  ]
    .filter(Boolean)
    .join(' · ');
}
