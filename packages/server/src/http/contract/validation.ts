import type { FieldError } from '@switchyard/core/api/problem';
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import { ApiError, ERRORS, type ErrorCode } from '../../platform/errors/errors.ts';
import { decodeListCursor, decodeTimelineCursor } from './paging.ts';
import { describeShapeError, shapePointer } from './shape-messages.ts';

/** In objects or arrays with more members only the first error is reported: listing all would cost more than the request. */
const MAX_MEMBERS_FOR_ALL_ERRORS = 2000;

interface RequestSchemas {
  params?: object;
  querystring?: object;
  headers?: object;
  body?: object;
}

const PARTS = [
  { part: 'params', field: 'params', coerce: false },
  { part: 'querystring', field: 'query', coerce: true },
  { part: 'headers', field: 'headers', coerce: false },
  { part: 'body', field: 'body', coerce: false },
] as const;

type RequestField = (typeof PARTS)[number]['field'];
type ValidatedRequest = Record<RequestField, unknown>;

interface PartValidator {
  field: RequestField;
  /** Stops at the first error. */
  check: ValidateFunction;
  /** Returns a validator that collects all errors; compiled on first use. */
  fullCheck: () => ValidateFunction;
}

/** Creates validators that check all parts of a request and throw one error that lists every invalid field. */
export function createRequestValidation(): (schemas: RequestSchemas) => (request: ValidatedRequest) => void {
  const strings = {
    quick: createAjv({ coerceTypes: true }),
    full: createAjv({ coerceTypes: true, allErrors: true }),
  };
  const json = { quick: createAjv({}), full: createAjv({ allErrors: true }) };
  return (schemas) => {
    const validators = PARTS.flatMap(({ part, field, coerce }): PartValidator[] => {
      const schema = schemas[part];
      if (schema === undefined) return [];
      const { quick, full } = coerce ? strings : json;
      let compiled: ValidateFunction | undefined;
      const fullCheck = () => {
        compiled ??= full.compile(schema);
        return compiled;
      };
      return [{ field, check: quick.compile(schema), fullCheck }];
    });
    return (request) => {
      for (const { field, check } of validators) {
        if (!check(request[field])) throw validationError(validators, request);
      }
    };
  };
}

function createAjv(options: Options): Ajv2020 {
  const ajv = new Ajv2020({
    ...options,
    strict: false,
    verbose: true,
    useDefaults: true,
    // The schemas are our own, so the one that describes schemas is not needed; adding it would delay every start.
    validateSchema: false,
    meta: false,
    // Optimizing takes a third of the compile time, and the validators are not faster for it.
    code: { optimize: false },
  });
  ajv.addKeyword({
    keyword: 'x-max-json-bytes',
    type: 'object',
    schemaType: 'number',
    validate: (limit: number, data: Record<string, unknown>) => fitsInJson(data, limit),
    error: { message: ({ schema }: { schema: number }) => `must not exceed ${schema} bytes as JSON` },
  } as never);
  ajv.addKeyword({
    keyword: 'x-required-any',
    type: 'object',
    schemaType: 'array',
    validate: (names: string[], data: Record<string, unknown>) =>
      names.some((name) => data[name] !== undefined && data[name] !== ''),
  });
  ajv.addKeyword({
    keyword: 'x-cursor',
    type: 'string',
    validate: (of: 'list' | 'timeline', text: string) =>
      (of === 'list' ? decodeListCursor(text) : decodeTimelineCursor(text)) !== undefined,
  });
  return ajv;
}

/**
 * Bounds the size in one pass that stops early, since a body can have tens of thousands of members: a member takes at
 * least `"":0,`, a character at most six bytes (`\\u0000`), a number or literal at most 25. Only what is neither
 * surely too large nor surely small enough is serialized.
 */
function fitsInJson(data: Record<string, unknown>, limit: number): boolean {
  let minBytes = 1;
  let maxBytes = 2;
  for (const name in data) {
    const value = data[name];
    const length = typeof value === 'string' ? value.length : 0;
    minBytes += name.length + 5 + (typeof value === 'string' ? length + 1 : 0);
    if (minBytes > limit) return false;
    const isNested = typeof value === 'object' && value !== null;
    maxBytes += isNested ? limit : 6 * (name.length + length) + 30;
  }
  return maxBytes <= limit || Buffer.byteLength(JSON.stringify(data)) <= limit;
}

function validationError(validators: readonly PartValidator[], request: ValidatedRequest): ApiError {
  const fields: FieldError[] = [];
  for (const { field, check, fullCheck } of validators) {
    const data = request[field];
    const validate = isWide(data) ? check : fullCheck();
    if (!validate(data)) fields.push(...fieldErrors(validate.errors ?? []));
  }
  const only = fields.length === 1 ? fields[0] : undefined;
  if (only !== undefined && only.code in ERRORS) {
    const code = only.code as ErrorCode;
    return new ApiError(code, { fields });
  }
  return invalidFields(fields);
}

/** The error for a request with invalid fields; the message names the first of them. */
export function invalidFields(fields: readonly FieldError[]): ApiError {
  const names = fields.slice(0, 5).map((field) => `${field.pointer || 'body'} ${field.detail}`);
  const more = fields.length > 5 ? `; and ${fields.length - 5} more` : '';
  return new ApiError('invalid_request', { message: `${names.join('; ')}${more}.`, fields });
}

function isWide(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false;
  let members = 0;
  for (const name in data) {
    members++;
    if (members > MAX_MEMBERS_FOR_ALL_ERRORS || isWide((data as Record<string, unknown>)[name])) return true;
  }
  return false;
}

const CODES: Record<string, string> = {
  'x-max-json-bytes': 'too_large',
  'x-required-any': 'required',
  dependentRequired: 'required',
  'x-cursor': 'invalid',
  maxLength: 'too_long',
  minLength: 'too_short',
  maxItems: 'too_many',
  maxProperties: 'too_many',
  minItems: 'too_few',
  minimum: 'too_small',
  exclusiveMinimum: 'too_small',
  maximum: 'too_large',
};

const fieldErrors = (errors: readonly ErrorObject[]) => errors.flatMap((error) => fieldError(error, errors));

function fieldError(error: ErrorObject, all: readonly ErrorObject[]): FieldError[] {
  // Only a wrapper: the nested error describes the invalid name.
  if (error.keyword === 'propertyNames') return [];
  const own = (error.parentSchema as { 'x-error-code'?: string } | undefined)?.['x-error-code'];
  const special =
    own !== undefined && (error.keyword === 'exclusiveMinimum' || error.keyword === 'x-required-any');
  if (special) return [{ pointer: error.instancePath, code: own, detail: ERRORS[own as ErrorCode].message }];
  const detail = detailOf(error, all);
  if (detail === undefined) return [];
  return [{ pointer: pointerOf(error), code: CODES[error.keyword] ?? error.keyword, detail }];
}

function pointerOf(error: ErrorObject): string {
  const member = (error.params.missingProperty as string | undefined) ?? error.propertyName;
  if (member === undefined) return shapePointer(error);
  return `${error.instancePath}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Undefined if another error explains it better. */
function detailOf(error: ErrorObject, all: readonly ErrorObject[]): string | undefined {
  if (error.keyword === 'required') return 'is required';
  if (error.keyword === 'dependentRequired') return `is required with ${error.params.property}`;
  if (error.keyword === 'x-cursor') return 'must be the nextCursor of a previous page';
  const message = describeShapeError(error, all);
  return error.propertyName === undefined || message === undefined ? message : `has a name that ${message}`;
}
