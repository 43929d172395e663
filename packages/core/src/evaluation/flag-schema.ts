import { formatPointer } from '../merge/json-pointer.ts';
import type { Mistake } from './condition-checks.ts';
import { pagePattern } from './page-pattern.ts';

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** What a keyword must be; a text is the complaint. */
type KeywordCheck = (value: unknown) => string | undefined;

const when =
  (isValid: (value: unknown) => boolean, complaint: string): KeywordCheck =>
  (value) =>
    isValid(value) ? undefined : complaint;

const isText = (value: unknown): value is string => typeof value === 'string';
const isList = (value: unknown): value is unknown[] => Array.isArray(value);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !isList(value);

const count = when((value) => Number.isInteger(value) && Number(value) >= 0, 'must be a whole number from 0');
const number = when(Number.isFinite, 'must be a number');
const anything: KeywordCheck = () => undefined;

/** Keywords that contain no schemas. `$ref` is missing: without it, checking a value takes time proportional to its size. */
const KEYWORDS: Readonly<Record<string, KeywordCheck>> = {
  $schema: anything,
  $id: anything,
  $comment: anything,
  title: anything,
  description: anything,
  default: anything,
  examples: anything,
  deprecated: anything,
  format: anything,
  type: when(
    (value) => [value].flat().every((type) => TYPES.includes(type as string)),
    `must be one of ${TYPES.join(', ')}, or a list of them`,
  ),
  enum: when((value) => isList(value) && value.length > 0, 'must be a list of values'),
  const: anything,
  required: when((value) => isList(value) && value.every(isText), 'must be a list of names'),
  minProperties: count,
  maxProperties: count,
  minItems: count,
  maxItems: count,
  uniqueItems: when((value) => typeof value === 'boolean', 'must be true or false'),
  minLength: count,
  maxLength: count,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: when((value) => Number.isFinite(value) && Number(value) > 0, 'must be a number above 0'),
  pattern: when(
    (value) => isText(value) && pagePattern(value) !== undefined && isRegex(value),
    'must be a regular expression without lookarounds, references and repeated groups that contain repetitions or alternatives',
  ),
};

function isRegex(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') !== undefined;
  } catch {
    return false;
  }
}

const HOLDS_SCHEMA = ['items', 'additionalProperties', 'not', 'propertyNames'];
const HOLDS_SCHEMAS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const MAX_DEPTH = 32;

/** The mistakes of a schema, each with its place. */
export function checkSchema(schema: unknown, path: string, depth = 0): Mistake[] {
  if (typeof schema === 'boolean') return [];
  if (!isObject(schema)) return [{ path, message: 'must be a JSON schema: an object, true or false' }];
  if (depth > MAX_DEPTH) return [{ path, message: `is nested more than ${MAX_DEPTH} levels deep` }];
  return Object.entries(schema).flatMap(([keyword, value]) =>
    checkKeyword(keyword, value, path + formatPointer([keyword]), depth + 1),
  );
}

function checkKeyword(keyword: string, value: unknown, path: string, depth: number): Mistake[] {
  if (HOLDS_SCHEMA.includes(keyword)) return checkSchema(value, path, depth);
  if (HOLDS_SCHEMAS.includes(keyword)) {
    if (!isList(value) || value.length === 0) return [{ path, message: 'must be a list of schemas' }];
    return value.flatMap((each, index) => checkSchema(each, `${path}/${index}`, depth));
  }
  if (keyword === 'properties') {
    if (!isObject(value)) return [{ path, message: 'must be an object of schemas' }];
    return Object.entries(value).flatMap(([name, each]) =>
      checkSchema(each, path + formatPointer([name]), depth),
    );
  }
  if (!Object.hasOwn(KEYWORDS, keyword)) return [{ path, message: unsupported(keyword) }];
  const message = KEYWORDS[keyword]!(value);
  return message === undefined ? [] : [{ path, message }];
}

function unsupported(keyword: string): string {
  const supported = [...Object.keys(KEYWORDS), ...HOLDS_SCHEMA, ...HOLDS_SCHEMAS, 'properties'];
  const advice =
    keyword === '$ref' || keyword === '$defs'
      ? 'write the schema where it is used instead'
      : `supported are ${supported.sort().join(', ')}`;
  return `is not supported: ${advice}`;
}
