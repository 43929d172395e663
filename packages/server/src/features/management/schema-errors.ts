import type { FieldError } from '@switchyard/core/api/problem';
import { Ajv, type ValidateFunction } from 'ajv';
import { describeShapeError, shapePointer } from '../../http/shape-messages.ts';
import { isWide } from '../../http/validation.ts';

/** Enough to fix a body; a body of another kind could have far more. */
const MAX_ERRORS = 100;

// Strict mode would reject `x-hint` and `examples`, which Ajv does not know.
const OPTIONS = { verbose: true, strict: false };
const quick = { ajv: new Ajv(OPTIONS), compiled: new WeakMap<object, ValidateFunction>() };
const full = {
  ajv: new Ajv({ ...OPTIONS, allErrors: true }),
  compiled: new WeakMap<object, ValidateFunction>(),
};

/** What is wrong with an item by its schema, in the words that provision files get. */
export function schemaErrors(schema: object, value: unknown): FieldError[] {
  // Collecting all errors of a list that is far too long takes minutes.
  const { ajv, compiled } = isWide(value) ? quick : full;
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  if (validate(value)) return [];
  const errors = (validate.errors ?? []).slice(0, MAX_ERRORS);
  return errors.flatMap((error) => {
    const detail = describeShapeError(error, errors);
    return detail === undefined ? [] : [{ pointer: shapePointer(error), code: 'invalid', detail }];
  });
}
