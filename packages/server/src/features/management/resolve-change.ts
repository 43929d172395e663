import type { FieldError } from '@switchyard/core/api/problem';
import {
  NO_KEYS,
  type PropertyCandidate,
  type ResolveProperty,
} from '../../configuration/definitions/rule-context.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { ChangeInput } from '../../configuration/writer/configuration-writer.ts';
import { invalidFields } from '../../http/contract/validation.ts';

export type ChangeInputOf = ChangeInput & { current: PropertyConfiguration };

/**
 * The property with what the candidate changes; throws every problem. Pointers start below `place`, where the caller's
 * body is in the candidate.
 */
export function resolveChange(
  input: ChangeInputOf,
  candidate: PropertyCandidate,
  mode: 'merge' | 'replace',
  place: string,
  resolve: ResolveProperty,
): PropertyConfiguration {
  const problems: FieldError[] = [];
  const { property } = resolve(candidate, input.current, {
    ...NO_KEYS,
    now: input.now,
    mode,
    report: (pointer, detail) =>
      problems.push({
        pointer: pointer.startsWith(place) ? pointer.slice(place.length) : '',
        code: 'invalid',
        detail,
      }),
  });
  if (problems.length > 0) throw invalidFields(problems);
  return property;
}
