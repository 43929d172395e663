import { reachableFrom } from '@switchyard/core/evaluation/dependencies';
import { segmentsIn } from '@switchyard/core/evaluation/segments';
import type { PropertyConfiguration } from '../property/property-configuration.ts';

/** The segment and all segments that contain it, directly or not. */
export function dependentSegments({ segments }: PropertyConfiguration, id: string): Set<string> {
  const containing = new Map<string, string[]>();
  for (const segment of segments) {
    for (const contained of segmentsIn(segment.conditions)) {
      const known = containing.get(contained);
      if (known === undefined) containing.set(contained, [segment.id]);
      else known.push(segment.id);
    }
  }
  return reachableFrom([id], (each) => containing.get(each) ?? []);
}
