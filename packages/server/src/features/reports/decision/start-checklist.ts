import type { ChecklistItem, StartChecklist } from '@switchyard/core/api/decision/start-checklist';
import type { RegexCompiler } from '@switchyard/core/evaluation/operators';
import type { ReportGoal } from '@switchyard/core/stats/report/report-input';
import { type ChecklistFacts, describeChecklist } from '@switchyard/core/stats/words/checklist-words';
import type { EventQueries, GoalBaseline } from '../../../events/store/event-store.ts';
import { audienceShare } from '../audience-share.ts';
import { DEFAULT_EFFECT, type PlannedAudience, planPeriod, planResponse } from '../test-plan.ts';
import type { ChecklistScope } from './checklist-scope.ts';

/** Days of events that tell whether goals and pages work now. */
const DAYS = 14;
/** As the planner of the editor, so that both say the same. */
const PLAN_DAYS = 28;

type Events = Pick<EventQueries, 'goalBaseline' | 'feedbackCount' | 'sessionContexts'>;

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
  const { visitors } = await reader('', false, DAYS, asOf);
  const goals = [];
  for (const goal of scope.goals) {
    const { name, role, kind } = goal;
    const events = await eventsOf(eventStore, scope, goal, reader, asOf);
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

type BaselineReader = (
  goalId: string,
  isRevenue: boolean,
  days: number,
  now: number,
) => Promise<GoalBaseline>;

const baselineReader =
  (eventStore: Events, { property }: ChecklistScope, signal: AbortSignal | undefined): BaselineReader =>
  (goalId, isRevenue, days, now) =>
    eventStore.goalBaseline({ propertyId: property.id, goalId, isRevenue, ...planPeriod(days, now) }, signal);

async function eventsOf(
  eventStore: Events,
  { property }: ChecklistScope,
  goal: ReportGoal,
  baselineOf: BaselineReader,
  now: number,
): Promise<number> {
  if (goal.kind !== 'feedback')
    return (await baselineOf(goal.id, goal.kind === 'revenue', DAYS, now)).converted;
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
    primaryGoal,
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
  const recent = await baselineOf(primaryGoal?.id ?? '', primaryGoal?.kind === 'revenue', PLAN_DAYS, now);
  const known = {
    planned: plannedVisitors,
    smallestEffect,
    assumedEffect: DEFAULT_EFFECT,
    participating,
    needsPlan: decisionRule.rule.statistics.engine === 'frequentist',
  };
  if (primaryGoal === undefined) {
    const daily = ((recent.visitors / PLAN_DAYS) * (audience?.share ?? 1) * participating) / 100;
    return { ...known, dailyVisitors: daily, needed: null };
  }
  const query = {
    propertyId: property.id,
    goalId: primaryGoal.id,
    smallestEffect: smallestEffect ?? DEFAULT_EFFECT,
    variations: Math.max(2, weighted),
    trafficAllocation: participating,
    days: PLAN_DAYS,
  };
  const plan = planResponse(property, primaryGoal, query, { recent, guardrails: [], audience });
  return { ...known, dailyVisitors: plan.dailyVisitors, needed: plan.visitors };
}

/** A page of the dashboard on which it can be looked into, or changed. */
function linkOf(id: ChecklistItem['id'], { property, splitTestKey, goals }: ChecklistScope): string | null {
  const inProperty = (path: string) => `/p/${encodeURIComponent(property.id)}/${path}`;
  const test = inProperty(`split-tests/${encodeURIComponent(splitTestKey)}`);
  const primary = goals.find(({ role }) => role === 'primary');
  switch (id) {
    case 'goal':
      if (primary === undefined) return `${test}?tab=edit`;
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
