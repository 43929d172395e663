import type { ChecklistItem, StartChecklist } from '@switchyard/core/api/decision/start-checklist';
import type { RegexCompiler } from '@switchyard/core/evaluation/operators';
import { type ChecklistFacts, describeChecklist } from '@switchyard/core/stats/words/checklist-words';
import type { EventQueries } from '../../../events/store/event-store.ts';
import { audienceShare } from '../audience-share.ts';
import { type OutcomeBaseline, outcomeBaseline, type PlannedOutcome } from '../plan/planned-outcome.ts';
import { DEFAULT_EFFECT, type PlannedAudience, planPeriod, planResponse } from '../plan/test-plan.ts';
import type { ChecklistGoal, ChecklistScope } from './checklist-scope.ts';

/** Days of events that tell whether goals and pages work now. */
const DAYS = 14;
/** As the planner of the editor, so that both say the same. */
const PLAN_DAYS = 28;

type Events = Pick<
  EventQueries,
  'goalBaseline' | 'metricBaseline' | 'feedbackCount' | 'sessionContexts' | 'parameterValues'
>;

/** What a person should know before starting a test. */
export async function startChecklist(
  eventStore: Events,
  scope: ChecklistScope,
  regex: RegexCompiler,
  signal: AbortSignal | undefined,
): Promise<StartChecklist> {
  const asOf = Date.now();
  const { property, splitTestKey, variations, audience, decisionRule, isAaTestOff, aaTest, running } = scope;
  const reader = baselineReader(eventStore, scope, signal);
  const { visitors } = await reader(NO_GOAL, DAYS, asOf);
  const goals = [];
  for (const own of scope.goals) {
    const { name, role, kind } = own.goal;
    const events = await eventsOf(eventStore, scope, own, reader, asOf);
    goals.push({ name, role, events, isFeedback: kind === 'feedback' });
  }
  const share = audience
    ? await audienceShare(
        eventStore,
        { propertyId: property.id, timeZone: property.timeZone, days: DAYS },
        audience,
        regex,
        signal,
      )
    : null;
  const plan = await planFacts(scope, reader, share, asOf);
  const facts = {
    days: DAYS,
    visitors,
    goals,
    variations,
    previews: await previewFacts(eventStore, scope, asOf, signal),
    audience: share,
    isAaTestOff,
    aaTest,
    running,
    plan,
  };
  return {
    splitTestKey,
    asOf,
    days: DAYS,
    decisionRule: decisionRule as StartChecklist['decisionRule'],
    items: describeChecklist(facts).map((finding) => ({ ...finding, link: linkOf(finding.id, scope) })),
  };
}

/** Page views keep the parameter of a preview link; they are no exposures. */
async function previewFacts(
  eventStore: Events,
  { property, splitTestKey, variations, servedSince }: ChecklistScope,
  now: number,
  signal: AbortSignal | undefined,
): Promise<ChecklistFacts['previews']> {
  if (servedSince === null) return null;
  const { from } = planPeriod(DAYS, now);
  const query = {
    propertyId: property.id,
    name: `sy_${splitTestKey}`,
    values: variations.map(({ key }) => key),
    from: Math.max(from, servedSince),
  };
  return {
    opened: await eventStore.parameterValues(query, signal),
    isWholePhase: servedSince >= from,
  };
}

type BaselineReader = (outcome: PlannedOutcome, days: number, now: number) => Promise<OutcomeBaseline>;

/** Nobody reaches it, but it has visitors. */
const NO_GOAL: PlannedOutcome = {
  kind: 'goal',
  id: '',
  name: '',
  goal: { id: '', name: '', kind: 'count', lowerIsBetter: false, target: null, version: 0 },
};

const baselineReader =
  (eventStore: Events, { property }: ChecklistScope, signal: AbortSignal | undefined): BaselineReader =>
  (outcome, days, now) =>
    outcomeBaseline(eventStore, outcome, { propertyId: property.id, ...planPeriod(days, now) }, signal);

async function eventsOf(
  eventStore: Events,
  { property }: ChecklistScope,
  { goal, outcome }: ChecklistGoal,
  baselineOf: BaselineReader,
  now: number,
): Promise<number> {
  if (outcome !== undefined) return (await baselineOf(outcome, DAYS, now)).reached;
  if (goal.kind !== 'feedback') return 0;
  const { feedbackTypeId, option } = goal;
  return eventStore.feedbackCount({
    propertyId: property.id,
    feedbackTypeId,
    ...(option !== null && { option }),
    ...planPeriod(DAYS, now),
  });
}

async function planFacts(
  {
    property,
    goals,
    variations,
    participating,
    plannedVisitors,
    smallestEffect,
    decisionRule,
  }: ChecklistScope,
  baselineOf: BaselineReader,
  audience: PlannedAudience,
  now: number,
): Promise<ChecklistFacts['plan']> {
  const weighted = variations.filter(({ weight }) => weight > 0).length;
  const primary = goals.find(({ goal }) => goal.role === 'primary')?.outcome;
  const recent = await baselineOf(primary ?? NO_GOAL, PLAN_DAYS, now);
  const known = {
    planned: plannedVisitors,
    smallestEffect,
    assumedEffect: DEFAULT_EFFECT,
    participating,
    withinDays: primary?.kind === 'metric' ? (primary.definition.withinDays ?? 0) : 0,
    needsPlan: decisionRule.rule.statistics.engine === 'frequentist',
  };
  if (primary === undefined) {
    const daily = ((recent.visitors / recent.days) * (audience?.share ?? 1) * participating) / 100;
    return { ...known, dailyVisitors: daily, needed: null };
  }
  const query = {
    propertyId: property.id,
    smallestEffect: smallestEffect ?? DEFAULT_EFFECT,
    variations: Math.max(2, weighted),
    trafficAllocation: participating,
    days: PLAN_DAYS,
  };
  const plan = planResponse(property, primary, query, { recent, guardrails: [], audience });
  return { ...known, dailyVisitors: plan.dailyVisitors, needed: plan.visitors };
}

/** A page of the dashboard on which it can be looked into, or changed. */
function linkOf(id: ChecklistItem['id'], { property, splitTestKey, goals }: ChecklistScope): string | null {
  const inProperty = (path: string) => `/p/${encodeURIComponent(property.id)}/${path}`;
  const test = inProperty(`split-tests/${encodeURIComponent(splitTestKey)}`);
  const primary = goals.find(({ goal }) => goal.role === 'primary')?.goal;
  switch (id) {
    case 'goal':
      if (primary === undefined) return `${test}?tab=edit`;
      if (primary.kind === 'metric') return inProperty(`metrics/${encodeURIComponent(primary.metricId)}`);
      return primary.kind === 'feedback'
        ? inProperty(`feedback/types/${encodeURIComponent(primary.feedbackTypeId)}`)
        : inProperty(`goals/${encodeURIComponent(primary.id)}`);
    case 'split':
      return test;
    case 'audience':
      return inProperty('traffic');
    case 'plan':
      return `${test}?tab=edit`;
    case 'aa-test':
      return inProperty('settings');
    case 'overlap':
      return inProperty('split-tests?status=running');
  }
}
