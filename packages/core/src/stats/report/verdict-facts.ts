import type { Interval } from '../comparison.ts';
import type { SmallestEffect } from '../planner.ts';
import type { Forecast } from './forecast.ts';
import type { GoalOutcome } from './goal-outcome.ts';
import type { Guardrail } from './guardrails.ts';
import type { Collecting, HealthProblem } from './health.ts';

export type Decision = 'ship' | 'roll-back' | 'no-difference' | 'keep-going' | 'collecting' | 'unhealthy';

/** Why the decision was made, where the decision alone does not say it. */
export type Reason =
  | 'primary'
  | 'guardrail'
  | 'open-guardrail'
  | 'within-smallest-effect'
  | 'planned-end'
  | 'futility'
  | 'not-significant'
  | 'before-planned-end';

/** What a verdict says, and on which grounds. */
export interface VerdictFacts {
  readonly decision: Decision;
  readonly reason: Reason | null;
  readonly variation: string;
  /** Improvement of the primary goal, in `unit`; null if unknown. */
  readonly improvement: Interval | null;
  readonly unit: SmallestEffect['kind'];
  readonly primary: GoalOutcome;
  readonly guardrails: readonly Guardrail[];
  readonly problems: readonly HealthProblem[];
  /** Progress, if there is too little data for an evaluation. */
  readonly collecting: (Collecting & { readonly days: number | null }) | null;
  readonly smallestEffect: SmallestEffect | null;
  readonly visitors: number;
  /** If the primary goal is a metric: visitors of the test whose window is not over, who are not among `visitors`. */
  readonly pending?: number | undefined;
  readonly plannedVisitors: number | null;
  /** Likely full days until a decision: the median of the forecast; null if unknown or not in sight. */
  readonly daysLeft: number | null;
  readonly forecast: Forecast | null;
}

/** What the words of a verdict depend on besides its facts. */
export interface VerdictContext {
  /** The phase has ended. */
  readonly isOver: boolean;
  /** The test has a phase. */
  readonly hasStarted: boolean;
  /** Number of variations, including the control. */
  readonly variations: number;
  /** Code of the currency that amounts are shown in. */
  readonly currency: string;
}
