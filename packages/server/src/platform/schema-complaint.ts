import type { JsonSchema } from '@switchyard/core/api/targeting';
import type { JsonValue } from '@switchyard/core/evaluation/flag-format';
import { Errors } from 'typebox/schema';

const MAX_LISTED = 3;

/**
 * Why a value does not fit a schema that `checkSchema` accepts; undefined if it does.
 *
 * @example schemaComplaint({ type: 'number', minimum: 0 }, -1) // 'does not fit the schema: must be >= 0'
 */
export function schemaComplaint(schema: JsonSchema, value: JsonValue): string | undefined {
  const [fits, errors] = Errors(schema as never, value);
  if (fits) return undefined;
  // An unknown member is reported twice: as one that no schema allows, and by its name.
  const relevant = errors.filter(({ keyword }) => keyword !== 'boolean');
  const listed = (relevant.length === 0 ? errors : relevant).slice(0, MAX_LISTED).map((error) => {
    const { instancePath, message } = error;
    return instancePath === '' ? message : `${instancePath} ${message}`;
  });
  const more = errors.length > MAX_LISTED ? ', and more' : '';
  return `does not fit the schema: ${listed.join('; ')}${more}`;
}
