import type { Audience } from '@switchyard/core/api/audience';
import { operatorKind } from '@switchyard/core/evaluation/operators';

interface Missing {
  /** JSON pointer of the field. */
  pointer: string;
  detail: string;
}

/** What is not entered yet, in the words of the server; everything else is up to the server. */
export const missingIn = ({ conditions }: Audience): Missing[] =>
  conditions.flatMap(({ attribute, operator, values = [] }, index) => {
    const kind = operatorKind(operator);
    const missing = (field: string, what: string) => ({
      pointer: `/audience/conditions/${index}/${field}`,
      detail: `Operator ${operator} requires ${what}`,
    });
    return [
      ...(kind !== 'segment' && !attribute ? [missing('attribute', 'an attribute')] : []),
      ...(kind !== 'presence' && values.length === 0 ? [missing('values', 'a value')] : []),
    ];
  });
