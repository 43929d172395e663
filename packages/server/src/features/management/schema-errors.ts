import type { FieldError } from '@switchyard/core/api/problem';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { describeShapeError, shapePointer } from '../../http/contract/shape-messages.ts';

/** Enough to fix a body; a body of another kind could have far more. */
const MAX_ERRORS = 100;
/** Of a larger body only the first error is reported: collecting all could block the server for minutes. */
const MAX_MEMBERS_FOR_ALL_ERRORS = 2000;

const quick = compiler({ allErrors: false });
const full = compiler({ allErrors: true });

/** What is wrong with an item by its schema, in the words that provision files get. */
export function schemaErrors(schema: object, value: unknown): FieldError[] {
  const first = errorsOf(quick(schema), value);
  if (first.length === 0) return [];
  const all = countMembers(value) > MAX_MEMBERS_FOR_ALL_ERRORS ? first : errorsOf(full(schema), value);
  const errors = all.slice(0, MAX_ERRORS);
  return errors.flatMap((error) => {
    const detail = describeShapeError(error, errors);
    return detail === undefined ? [] : [{ pointer: shapePointer(error), code: 'invalid', detail }];
  });
}

/** Compiles each schema once. */
function compiler({ allErrors }: { allErrors: boolean }): (schema: object) => ValidateFunction {
  // Strict mode would reject `x-hint` and `examples`, which Ajv does not know.
  const ajv = new Ajv({ allErrors, verbose: true, strict: false, code: { optimize: false } });
  const compiled = new WeakMap<object, ValidateFunction>();
  return (schema) => {
    const validate = compiled.get(schema) ?? ajv.compile(schema);
    compiled.set(schema, validate);
    return validate;
  };
}

function errorsOf(validate: ValidateFunction, value: unknown): ErrorObject[] {
  return validate(value) ? [] : (validate.errors ?? []);
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + 1 + countMembers(member), 0);
}
