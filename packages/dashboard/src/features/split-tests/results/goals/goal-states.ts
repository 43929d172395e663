import { formatPercent, plural } from '../../../../ui/format/format.ts';
import type { GoalResult, Results, VariationResult } from '../results-types.ts';
import { decidingMetric } from './effect.ts';
import type { ComparisonState } from './goal-comparison.tsx';

type StateOf = (result: VariationResult) => ComparisonState;

const NOT_RELIABLE: ComparisonState = { label: 'Not reliable', tone: 'warn' };
const TOO_EARLY: ComparisonState = { label: 'Too early', tone: 'dimmed', isEarly: true };

/** What keeps a goal from being judged at all; undefined if nothing does. */
export function cautionOf({ health, verdict }: Results): ComparisonState | undefined {
  if (!health.healthy) return NOT_RELIABLE;
  return verdict?.decision === 'collecting' ? TOO_EARLY : undefined;
}

/** What is known of a guardrail for each variation, as the verdict judges it. */
export function guardrailStates(goal: GoalResult, results: Results): StateOf {
  const isOver = results.phase?.endedAt != null;
  const judged = new Map(
    results.verdicts.flatMap(({ variation, guardrails }) =>
      guardrails.filter(({ goalId }) => goalId === goal.goalId).map((it) => [variation, it] as const),
    ),
  );
  return (result) => {
    // Without a primary goal, there are no verdicts.
    const guardrail =
      judged.get(result.key) ?? (results.verdicts.length === 0 ? judgedAlone(goal) : undefined);
    // Harm is reported from the first day on, and in unhealthy tests too.
    if (guardrail?.state === 'harmed') return { label: 'Harmed', tone: 'bad' };
    if (!results.health.healthy) return NOT_RELIABLE;
    if (guardrail?.state === 'safe') {
      return { label: `No harm beyond ${formatPercent(guardrail.maxHarm)}`, short: 'Safe', tone: 'good' };
    }
    const label = isOver ? 'Not enough data' : waitingWords(guardrail?.daysLeft ?? null);
    return { label, short: 'Open', tone: 'dimmed' };
  };
}

const judgedAlone = ({ state, maxHarm }: GoalResult) =>
  state === undefined ? undefined : { state, maxHarm: maxHarm!, daysLeft: null };

const waitingWords = (daysLeft: number | null) =>
  daysLeft === null ? 'Not enough data yet' : `Not enough data yet, about ${plural(daysLeft, 'more day')}`;

const RANK = ['bad', 'warn', 'dimmed', 'good'] as const;

/** The worst state of all variations. */
export function worstState(goal: GoalResult, stateOf: StateOf): ComparisonState {
  const states = decidingMetric(goal).variations.slice(1).map(stateOf);
  return states.toSorted((a, b) => RANK.indexOf(a.tone) - RANK.indexOf(b.tone))[0] ?? TOO_EARLY;
}
