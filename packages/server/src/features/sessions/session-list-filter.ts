import type { SessionsQuery } from '@switchyard/core/api/sessions';
import { filterValue } from '@switchyard/core/api/traffic';
import { isTestKey } from '../../configuration/property/measured-rules.ts';
import type { Goal, PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { SessionPageQuery } from '../../events/store/event-store.ts';
import type { ExposedSessions } from '../../events/store/session-conditions.ts';
import type { SplitTestPhase } from '../../events/store/split-test-queries.ts';
import { botFilter } from '../../http/contract/bot-filter.ts';
import { ApiError } from '../../platform/errors/errors.ts';

/** A phase of a split test, as its results count it; default: the latest. Throws if there is no such test or phase. */
export type PhaseOf = (
  property: PropertyConfiguration,
  splitTestKey: string,
  phase: number | undefined,
) => SplitTestPhase;

type Filter = Omit<SessionsQuery, 'limit' | 'cursor'>;

const MAY_BE_UNKNOWN = ['country', 'device', 'browser', 'os', 'page'] as const;

/** The filter of a list of sessions. Throws if a test, phase, goal or feedback type in it does not exist. */
export function sessionListFilter(
  property: PropertyConfiguration,
  { bots = 'include', phase, multipleVariations, converted, ...named }: Filter,
  phaseOf: PhaseOf,
): Omit<SessionPageQuery, 'limit'> {
  const goal = checkReferences(property, named);
  const unknown = MAY_BE_UNKNOWN.filter((name) => filterValue(name, named[name] ?? '') === null).map(
    (name) => [name, null],
  );
  const filter = {
    ...named,
    ...Object.fromEntries(unknown),
    ...botFilter(bots),
  };
  const { splitTestKey, variationKey, ...others } = filter;
  const isOfPhase = (phase ?? multipleVariations ?? converted) !== undefined;
  if (splitTestKey === undefined || !isOfPhase) return filter;
  const exposed: ExposedSessions = {
    ...phaseOf(property, splitTestKey, phase),
    ...(variationKey !== undefined && { variationKey }),
    ...(multipleVariations !== undefined && { multipleVariations }),
  };
  if (converted === undefined || goal === undefined) return { ...others, exposed };
  // The visitor may have converted in another session.
  const { goalId, ...rest } = others;
  const isRevenue = goal.kind === 'revenue';
  return {
    ...rest,
    exposed: { ...exposed, converted: { goalId: goal.id, isRevenue, value: converted } },
  };
}

/** Returns the goal. */
function checkReferences(property: PropertyConfiguration, filter: Filter): Goal | undefined {
  const { splitTestKey, goalId, feedbackTypeId } = filter;
  if (splitTestKey !== undefined && !isTestKey(property, splitTestKey)) {
    throw new ApiError('split_test_not_found');
  }
  const goal = property.goals.find(({ id }) => id === goalId);
  if (goalId !== undefined && goal === undefined) throw new ApiError('goal_not_found');
  if (feedbackTypeId !== undefined && !property.feedbackTypes.some(({ id }) => id === feedbackTypeId)) {
    throw new ApiError('feedback_type_not_found');
  }
  return goal;
}
