import { closestName } from '@switchyard/core/evaluation/closest-name';
import { formatPointer } from '@switchyard/core/merge/json-pointer';
import type { ErrorObject } from 'ajv';

/** A message for the author of the content; undefined if another error of the list explains it better. */
export function describeShapeError(error: ErrorObject, all: readonly ErrorObject[]): string | undefined {
  if (error.keyword === 'anyOf') return describeUnion(error, all);
  if (belongsToUnion(error, all)) return undefined;
  return describe(error);
}

/** For an unknown field, the path of the field and not of the object around it. */
export function shapePointer(error: ErrorObject): string {
  if (error.keyword !== 'additionalProperties') return error.instancePath;
  return error.instancePath + formatPointer([error.params.additionalProperty]);
}

function describe({ keyword, params, schema, parentSchema, message, data }: ErrorObject): string {
  switch (keyword) {
    case 'additionalProperties':
      return unknownField(params.additionalProperty, parentSchema as ObjectSchema);
    case 'required':
      return `is missing "${params.missingProperty}"`;
    case 'type':
      return `must be ${typeName(String(schema))}, not ${valueName(data)}`;
    case 'pattern':
      return String(parentSchema?.['x-hint'] ?? `must match the pattern ${schema}`);
    case 'enum':
      return `must be one of ${(schema as unknown[]).join(', ')}`;
    case 'minItems':
      return `must have at least ${items(schema)}`;
    case 'maxItems':
      return `must have at most ${items(schema)}`;
    case 'maxProperties':
      return `must have at most ${schema === 1 ? '1 member' : `${schema} members`}`;
    case 'minProperties':
      return 'must not be empty';
    case 'uniqueItems':
      return `contains the same value twice (items ${Math.min(params.i, params.j) + 1} and ${Math.max(params.i, params.j) + 1})`;
    case 'minLength':
      return schema === 1 ? 'must not be empty' : `must be at least ${schema} characters long`;
    case 'maxLength':
      return `must be at most ${schema} characters long`;
    case 'exclusiveMinimum':
      return `must be above ${schema}`;
    case 'exclusiveMaximum':
      return `must be below ${schema}`;
    case 'minimum':
      return `must be at least ${schema}`;
    case 'maximum':
      return `must be at most ${schema}`;
    default:
      return message ?? 'is not valid';
  }
}

/** If all alternatives fail by type or constant, lists them; otherwise the closest alternative is reported. */
function describeUnion(error: ErrorObject, all: readonly ErrorObject[]): string | undefined {
  if (nearMisses(error, all).length > 0) return undefined;
  const alternatives = error.schema as { const?: unknown; type?: string }[];
  if (alternatives.every((alternative) => alternative.const !== undefined)) {
    return `must be one of ${alternatives.map((alternative) => alternative.const).join(', ')}`;
  }
  const types = new Set(alternatives.map((alternative) => typeName(String(alternative.type))));
  return `must be ${[...types].join(' or ')}`;
}

function belongsToUnion(error: ErrorObject, all: readonly ErrorObject[]): boolean {
  const union = all.find((other) => other.keyword === 'anyOf' && isBelow(error, other));
  return union !== undefined && !nearMisses(union, all).includes(error);
}

/** The errors of the alternative that has the fewest, of those that do not fail by type or constant. */
function nearMisses(union: ErrorObject, all: readonly ErrorObject[]): ErrorObject[] {
  const byAlternative = new Map<string, ErrorObject[]>();
  for (const error of all) {
    if (!isBelow(error, union)) continue;
    if (error.instancePath === union.instancePath && ['type', 'const'].includes(error.keyword)) continue;
    const alternative = error.schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0]!;
    byAlternative.set(alternative, [...(byAlternative.get(alternative) ?? []), error]);
  }
  return [...byAlternative.values()].sort((left, right) => left.length - right.length)[0] ?? [];
}

function isBelow(error: ErrorObject, union: ErrorObject): boolean {
  const isWithin =
    error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`);
  return isWithin && error.schemaPath.startsWith(`${union.schemaPath}/`);
}

const items = (count: unknown) => (count === 1 ? '1 item' : `${count} items`);

interface ObjectSchema {
  properties?: object;
  patternProperties?: object;
  /** What members are called. */
  'x-member'?: string;
}

function unknownField(name: string, schema: ObjectSchema): string {
  if (schema.patternProperties !== undefined) return 'is not a valid environment id';
  const known = Object.keys(schema.properties ?? {});
  const { 'x-member': member = 'field' } = schema;
  if (known.length === 0) return `is an unknown ${member}`;
  const closest = closestName(name, known);
  const hint = closest === undefined ? `known ${member}s: ${known.join(', ')}` : `did you mean "${closest}"?`;
  return `is an unknown ${member}; ${hint}`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function typeName(type: string): string {
  return TYPE_NAMES[type] ?? type;
}

function valueName(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a string' : String(value);
}
