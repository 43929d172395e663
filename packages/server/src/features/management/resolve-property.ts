import type { FieldError } from '@switchyard/core/api/problem';
import { invalidFields } from '../../http/validation.ts';
import type { ChangeInput } from '../../storage/changes/configuration-writer.ts';
import {
  NO_KEYS,
  type PropertyCandidate,
  type ResolveProperty,
} from '../../storage/changes/property-rules.ts';
import type { PropertyConfiguration } from '../../storage/property-configuration.ts';

export type ChangeInputOf = ChangeInput & { current: PropertyConfiguration };

/**
 * The property with what the candidate changes; throws every problem. Pointers start below `place`, where the caller's
 * body is in the candidate.
 */
export function resolveProperty(
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
