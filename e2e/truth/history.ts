/** The vocabulary of a random history: what is set up, what is sent and when. No code of the product. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export interface Goal {
  id: string;
  kind: 'count' | 'revenue';
  lowerIsBetter: boolean;
}

/** A goal of a test that is measured by answers: all answers of a type, or those with an option. */
interface FeedbackOutcome {
  feedbackType: string;
  option?: string;
}

export type Outcome = string | FeedbackOutcome;

interface FeedbackType {
  id: string;
  options: string[];
}

/** A page, a custom event or a goal that metrics count. */
export type Counted = { path: string } | { event: string } | { goalId: string };

/** A metric, as it is sent to the server, and what it means. */
export type MetricSetup = {
  id: string;
  withinDays?: number;
  cap?: number;
} & (
  | { kind: 'count' | 'sum'; goalId: string }
  | { kind: 'ratio'; numerator: CountedValue; denominator: CountedValue }
  | { kind: 'retention'; fromDay: number; toDay: number; goalId?: string }
  | { kind: 'funnel'; steps: Counted[] }
  | { kind: 'quantile'; quantile: number; goalId: string }
  | { kind: 'quantile'; quantile: number; event: string; property: string }
  | { kind: 'page'; path: string; of: 'visitors' | 'views' | 'bounce' }
  | { kind: 'event'; event: string; of: 'visitors' | 'count' }
);

export type CountedValue = { path: string } | { event: string } | { goalId: string; of: 'count' | 'sum' };

export interface Variation {
  key: string;
  weight: number;
  /** Taken out: it stays in the results, but is compared no longer. */
  retired?: true;
}

/** Of a test that is a measured rule of a flag. Before it, there is a rule for the plan `team`. */
export interface FlagRule {
  flagKey: string;
  ruleId: string;
  /** A rollout compares `off` with `on`. */
  kind: 'split' | 'rollout';
  /** The attribute that decides the draw; default: the first id of the context. */
  by?: 'visitorId';
}

export interface TestSetup {
  key: string;
  flag?: FlagRule;
  hashSeed: string;
  unit: 'visitor' | 'user';
  variations: Variation[];
  /** The first is the primary goal. */
  goals: Outcome[];
  guardrails: Outcome[];
  /** Ids of metrics, which are goals after the others. */
  metrics?: string[];
  attributionDays: number;
}

export interface Statistics {
  engine: 'sequential' | 'frequentist';
  alpha: number;
  sequentialN: number;
  correction: 'none' | 'holm';
  cuped: boolean;
  preDays: number;
  winsorize: number | null;
}

export interface Setup {
  propertyId: string;
  statistics: Statistics;
  goals: Goal[];
  feedbackTypes: FeedbackType[];
  metrics: MetricSetup[];
  tests: TestSetup[];
}

/** A visit of a session, which ties it to a visitor. */
export interface Collect {
  kind: 'collect';
  sessionId: string;
  visitorId: string;
  userId?: string;
  country?: string;
  /** By the client's clock. */
  pageviews: { timestamp: number; path: string }[];
  events: { timestamp: number; name: string; value: number }[];
}

export interface Exposure {
  testKey: string;
  variationKey: string;
  sessionId: string;
  /** By the client's clock. */
  timestamp?: number;
  phase?: number;
  bot?: boolean;
  attributes?: Record<string, string>;
}

export interface Exposures {
  kind: 'exposures';
  /** Sent with the user agent of a crawler. */
  crawler: boolean;
  exposures: Exposure[];
}

export interface Conversion {
  kind: 'conversion';
  goalId: string;
  sessionId?: string;
  direction: 1 | -1;
  /** Integer millionths of a dollar, not negative. */
  micros: number;
}

export interface Answer {
  kind: 'answer';
  feedbackType: string;
  sessionId?: string;
  option?: string;
  message?: string;
}

/** What flags are evaluated for. */
export interface FlagContext {
  targetingKey?: string;
  sessionId?: string;
  visitorId?: string;
  userId?: string;
  email?: string;
  plan?: string;
}

/** An evaluation of a flag by the service, which records it. */
export interface Evaluation {
  kind: 'evaluation';
  flagKey: string;
  by: 'evaluate' | 'ofrep';
  context: FlagContext;
}

/** What a program reports that has evaluated flags by itself. */
export interface ReportedExposure {
  testKey: string;
  variationKey: string;
  sessionId?: string;
  visitorId?: string;
  userId?: string;
  /** By the program's clock. */
  timestamp?: number;
  bot?: boolean;
}

export interface Report {
  kind: 'report';
  exposures: ReportedExposure[];
}

/** A change by somebody who manages the test; of a measured rule, a start switches its flag on, a pause off. */
export type Change = { kind: 'change'; testKey: string } & (
  | { action: 'start' | 'pause' | 'resume' }
  /** Only of measured rules: the flag is deleted, and created with the same key. */
  | { action: 'again' }
  /** For people with these plans; null: for all. */
  | { action: 'audience'; plans: string[] | null }
  /** Only of measured rules: what those get whom no rule serves. */
  | { action: 'otherwise'; value: string }
  | { action: 'stop'; winner: string | null }
  | { action: 'variations'; variations: Variation[] }
  | { action: 'traffic'; trafficAllocation: number }
);

export type Request = Collect | Exposures | Conversion | Answer | Evaluation | Report | Change;

/** Everything that is sent at one moment, at the same time; a change is always alone. */
export interface Step {
  at: number;
  requests: Request[];
}

export interface History {
  seed: number;
  setup: Setup;
  steps: Step[];
}

/** The ids of what a test measures, as in its results. */
export function outcomeIdOf(outcome: Outcome): string {
  if (typeof outcome === 'string') return outcome;
  const { feedbackType, option } = outcome;
  return option === undefined ? `feedback:${feedbackType}` : `feedback:${feedbackType}:${option}`;
}
