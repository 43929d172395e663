import type { FieldError } from '@switchyard/core/api/problem';
import { invalidFields } from '../../http/validation.ts';
import {
  NO_KEYS,
  type PropertyCandidate,
  type ResolveProperty,
} from '../../storage/changes/property-rules.ts';
import type { PropertyConfiguration } from '../../storage/property-configuration.ts';
import type { Collection } from './collections.ts';
import type { ChangeInputOf } from './item-request.ts';
import { schemaErrors } from './schema-errors.ts';

/** One item of a list, or settings of the property. */
interface Candidate {
  collection: Pick<Collection, 'field' | 'body'>;
  entry: object;
  mode: 'merge' | 'replace';
}

/** The property with one new or changed item; throws every problem by its pointer into the item. */
export function resolveCandidate(
  input: ChangeInputOf,
  { collection: { field, body }, entry, mode }: Candidate,
  resolve: ResolveProperty,
): PropertyConfiguration {
  const shape = schemaErrors(body, entry);
  if (shape.length > 0) throw invalidFields(shape);
  return resolveProperty(input, { id: input.current.id, [field]: [entry] }, mode, `/${field}/0`, resolve);
}

/** Pointers start below `place`, where the caller's body is in the candidate. */
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
