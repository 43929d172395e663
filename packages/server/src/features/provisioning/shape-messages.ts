import type { ErrorObject } from 'ajv';

/** What is wrong, for a reader of the file; undefined when another error of the list says it better. */
export function describeShapeError(error: ErrorObject, all: readonly ErrorObject[]): string | undefined {
  if (error.keyword === 'anyOf') return describeUnion(error, all);
  if (belongsToUnion(error, all)) return undefined;
  return describe(error);
}

function describe({ keyword, params, schema, parentSchema, message, data }: ErrorObject): string {
  switch (keyword) {
    case 'additionalProperties':
      return unknownField(params.additionalProperty, parentSchema as ObjectSchema);
    case 'required':
      return `lacks "${params.missingProperty}"`;
    case 'type':
      return `must be ${article(String(schema))}, not ${nameOf(data)}`;
    case 'pattern':
      return String(parentSchema?.['x-hint'] ?? message);
    case 'enum':
      return `must be one of ${(schema as unknown[]).join(', ')}`;
    case 'minItems':
      return `must hold at least ${schema}`;
    case 'maxItems':
      return `must hold at most ${schema}`;
    case 'uniqueItems':
      return `holds the same value twice (places ${params.j + 1} and ${params.i + 1})`;
    case 'minLength':
      return 'must not be empty';
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

/** A union whose alternatives all fail by type or constant is one mistake; else the alternative that nearly fits. */
function describeUnion(error: ErrorObject, all: readonly ErrorObject[]): string | undefined {
  if (nearMisses(error, all).length > 0) return undefined;
  const alternatives = error.schema as { const?: unknown; type?: string }[];
  if (alternatives.every((alternative) => alternative.const !== undefined)) {
    return `must be one of ${alternatives.map((alternative) => alternative.const).join(', ')}`;
  }
  return `must be ${alternatives.map((alternative) => article(String(alternative.type))).join(' or ')}`;
}

function belongsToUnion(error: ErrorObject, all: readonly ErrorObject[]): boolean {
  const union = all.find((other) => other.keyword === 'anyOf' && isBelow(error, other));
  return union !== undefined && !nearMisses(union, all).includes(error);
}

function nearMisses(union: ErrorObject, all: readonly ErrorObject[]): ErrorObject[] {
  return all.filter((error) => {
    if (!isBelow(error, union)) return false;
    return error.instancePath !== union.instancePath || !['type', 'const'].includes(error.keyword);
  });
}

function isBelow(error: ErrorObject, union: ErrorObject): boolean {
  const samePlace =
    error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`);
  return samePlace && error.schemaPath.startsWith(`${union.schemaPath}/`);
}

interface ObjectSchema {
  properties?: object;
  patternProperties?: object;
}

function unknownField(name: string, schema: ObjectSchema): string {
  if (schema.patternProperties !== undefined) return 'is not the id of an environment';
  const known = Object.keys(schema.properties ?? {});
  const near = known.find((candidate) => distance(candidate.toLowerCase(), name.toLowerCase()) <= 2);
  return `is an unknown field${near === undefined ? `; known are ${known.join(', ')}` : `; did you mean "${near}"?`}`;
}

/** Edit distance (Levenshtein), one row at a time. */
function distance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > 2) return 3;
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replace = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

const NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'a group of fields',
  string: 'text',
};

function article(type: string): string {
  return NAMES[type] ?? type;
}

function nameOf(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a group of fields';
  return typeof value === 'string' ? 'text' : String(value);
}
