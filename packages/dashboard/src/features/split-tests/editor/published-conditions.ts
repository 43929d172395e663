import type { Audience } from '@switchyard/core/api/audience';
import type { Condition, Segment } from '@switchyard/core/api/targeting';
import { reachableFrom } from '@switchyard/core/evaluation/dependencies';
import { operatorKind } from '@switchyard/core/evaluation/operators';
import { HASHED_ATTRIBUTES } from '@switchyard/core/evaluation/publish-audience';
import { segmentsIn } from '@switchyard/core/evaluation/segments';

interface PublishedConditions {
  /** Attributes whose values in the conditions everybody can read. */
  readable: string[];
  /** Attributes whose values everybody gets only as hashes. */
  hashed: string[];
  /** Ids of the segments whose conditions are published too. */
  segments: string[];
}

/** What an audience puts into the pages of a test, with the segments that it uses directly or not. */
export function publishedConditions(
  { conditions }: Audience,
  known: readonly Pick<Segment, 'id' | 'conditions'>[],
): PublishedConditions {
  const byId = new Map(known.map((segment) => [segment.id, segment.conditions]));
  const segments = [...reachableFrom(segmentsIn(conditions), (id) => segmentsIn(byId.get(id) ?? []))];
  const all = [...conditions, ...segments.flatMap((id) => byId.get(id) ?? [])];
  const names = all.filter(hasValues).map(({ attribute }) => attribute!);
  const isHashed = (name: string) => HASHED_ATTRIBUTES.includes(name);
  return {
    readable: [...new Set(names)].filter((name) => !isHashed(name)),
    hashed: [...new Set(names)].filter(isHashed),
    segments: segments.filter((id) => byId.has(id)),
  };
}

/** Of an attribute that is only set or not, an address or user id has nothing to hide. */
function hasValues({ attribute = '', operator }: Condition): boolean {
  const kind = operatorKind(operator);
  const isPresenceOfHashed = kind === 'presence' && HASHED_ATTRIBUTES.includes(attribute);
  return attribute !== '' && kind !== 'segment' && !isPresenceOfHashed;
}
