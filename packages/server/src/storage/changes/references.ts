import type { Condition } from '@switchyard/core/api/targeting';
import { reachableFrom } from '@switchyard/core/evaluation/dependencies';
import { segmentsIn } from '@switchyard/core/evaluation/segments';
import type { PropertyConfiguration } from '../property-configuration.ts';
import { feedbackOutcomeOf, type Guardrail, goalIdOf, type TestOutcome } from '../test-outcome.ts';
import type { EntityType, ItemType } from './entities.ts';

/** An item that refers to another one. */
export interface Reference {
  type: EntityType;
  key: string;
}

/** The items that would break if this one were deleted. */
export function referencesTo(property: PropertyConfiguration, type: ItemType, key: string): Reference[] {
  switch (type) {
    case 'goal':
      return testsWith(property, (outcome) => goalIdOf(outcome) === key);
    case 'feedback-type':
      return testsWith(property, (outcome) => feedbackOutcomeOf(outcome)?.feedbackType === key);
    case 'environment':
      return property.flags
        .filter(({ configurations }) => configurations.some(({ environmentId }) => environmentId === key))
        .map((flag) => ({ type: 'flag', key: flag.key }));
    case 'flag':
      return property.flags
        .filter(({ configurations }) =>
          configurations.some(({ prerequisites }) => prerequisites.some(({ flag }) => flag === key)),
        )
        .map((flag) => ({ type: 'flag', key: flag.key }));
    case 'segment':
      return segmentUsers(property, key);
    default:
      return [];
  }
}

function testsWith(
  { splitTests }: PropertyConfiguration,
  isIt: (outcome: TestOutcome | Guardrail) => boolean,
): Reference[] {
  return splitTests
    .filter(({ goals, guardrails }) => [...goals, ...guardrails].some(isIt))
    .map((test) => ({ type: 'split-test', key: test.key }));
}

function segmentUsers({ flags, segments }: PropertyConfiguration, id: string): Reference[] {
  const inFlags = flags.filter(({ configurations }) =>
    configurations.some(({ rules }) => rules.some((rule) => usesSegment(rule.conditions, id))),
  );
  const inSegments = segments.filter(({ conditions }) => usesSegment(conditions, id));
  return [
    ...inFlags.map(({ key }): Reference => ({ type: 'flag', key })),
    ...inSegments.map((segment): Reference => ({ type: 'segment', key: segment.id })),
  ];
}

function usesSegment(conditions: readonly Condition[] | undefined, id: string): boolean {
  return (conditions ?? []).some(({ operator, values }) => operator === 'inSegment' && values?.includes(id));
}

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
