import type { JsonSchema } from '@switchyard/core/api/targeting';
import { parseFlagValue } from '@switchyard/core/evaluation/flag-format';
import type { Flag } from '../../configuration/property/property-configuration.ts';
import { memberName, objectType, typeOfJson, union } from './type-expressions.ts';

/** The type of the values of a flag: by its schema, or by those that it has now. */
export function flagType(flag: Flag): string {
  const { type, format, schema } = flag;
  if (format === undefined) return type;
  if (format === 'number') return 'number';
  const json = schema
    ? schemaType(schema)
    : union(valuesOf(flag).map((value) => typeOfJson(parseFlagValue(value, format))));
  // As a plain `string`, for example, the SDK would take it for a flag without a format.
  return /[{([]|null|unknown/.test(json) ? json : 'unknown';
}

function valuesOf({ defaultValue, configurations }: Flag) {
  return [
    defaultValue,
    ...configurations.flatMap(({ value, rules }) => [
      value,
      ...rules.flatMap((rule) => rule.value ?? rule.split?.map((entry) => entry.value) ?? []),
    ]),
  ];
}

/** The type of all values that fit a schema, as far as TypeScript can say it. */
function schemaType(schema: unknown): string {
  if (schema === false) return 'never';
  if (typeof schema !== 'object' || schema === null) return 'unknown';
  const { type, enum: values, anyOf, oneOf, allOf } = schema as JsonSchema;
  if ('const' in schema) return literalType(schema.const);
  if (Array.isArray(values)) return union(values.map(literalType));
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return `(${union(choices.map(schemaType))})`;
  if (Array.isArray(allOf)) return `(${[...new Set(allOf.map(schemaType))].join(' & ')})`;
  const types = type === undefined ? [] : [type].flat();
  return types.length === 0 ? 'unknown' : union(types.map((each) => typeNamed(each, schema as JsonSchema)));
}

function literalType(value: unknown): string {
  return typeof value === 'object' ? typeOfJson(value) : JSON.stringify(value);
}

function typeNamed(type: unknown, { items, properties, required, additionalProperties }: JsonSchema): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return items === undefined ? 'unknown[]' : `(${schemaType(items)})[]`;
    case 'object': {
      const needed = Array.isArray(required) ? required : [];
      const members = Object.entries(properties ?? {}).map(([name, member]) => {
        return `${memberName(name)}${needed.includes(name) ? '' : '?'}: ${schemaType(member)}`;
      });
      if (members.length > 0) return objectType(members);
      return additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>';
    }
    default:
      return String(type);
  }
}
