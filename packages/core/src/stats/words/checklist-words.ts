import type { ChecklistItem } from '../../api/decision/start-checklist.ts';
import { count, list, percent, plural, quote } from './numbers.ts';

/** What is known before a test starts. */
export interface ChecklistFacts {
  /** Days of events. */
  readonly days: number;
  /** With a session in these days. */
  readonly visitors: number;
  readonly goals: readonly {
    readonly name: string;
    readonly role: 'primary' | 'secondary' | 'guardrail';
    /** Visitors who reached it; of feedback, answers. */
    readonly events: number;
    readonly isFeedback: boolean;
  }[];
  readonly variations: readonly { readonly key: string; readonly weight: number; readonly value: string }[];
  /** Keys of the variations that were opened by a preview link; null while pages do not get the test. */
  readonly previews: {
    readonly opened: readonly string[];
    /** Otherwise only these days of it were looked at. */
    readonly isWholePhase: boolean;
  } | null;
  /** Null: all visitors. */
  readonly audience: { readonly share: number; readonly visitors: number } | null;
  /** The last verdict of the built-in A/A test; undefined if there is none. */
  readonly aaTest: { readonly verdict: 'alarm' | 'collecting' | 'sound'; readonly words: string } | undefined;
  readonly isAaTestOff: boolean;
  /** Running tests that share visitors with this one. */
  readonly running: readonly OverlappingTest[];
  readonly plan: PlanFacts;
}

export interface OverlappingTest {
  readonly name: string;
  readonly sameSeed: boolean;
  readonly sameGoal: boolean;
  readonly tags: readonly string[];
}

interface PlanFacts {
  readonly planned: number | null;
  /** Null: without a smallest effect, the planner assumes `assumedEffect`. */
  readonly smallestEffect: number | null;
  readonly assumedEffect: number;
  /** Percentage of the audience that takes part. */
  readonly participating: number;
  /** Visitors who would enter the test per day. */
  readonly dailyVisitors: number;
  /** How long each visitor is followed, of a metric; 0: not at all. */
  readonly withinDays: number;
  /** By the planner; null if it cannot tell. */
  readonly needed: number | null;
  /** The method is valid once, at a planned number of visitors. */
  readonly needsPlan: boolean;
}

export type Finding = Pick<ChecklistItem, 'id' | 'state' | 'title' | 'words'>;

/** A test that takes longer is likely to be stopped by impatience. */
const LONG_DAYS = 56;
/** Names in one sentence. */
const MAX_NAMES = 5;

export const describeChecklist = (facts: ChecklistFacts): Finding[] => [
  { id: 'goal', title: 'The goals have events', ...goalFinding(facts) },
  { id: 'split', title: 'The split works', ...splitFinding(facts) },
  { id: 'audience', title: 'The audience has traffic', ...audienceFinding(facts) },
  { id: 'plan', title: 'The traffic suffices', ...planFinding(facts) },
  { id: 'aa-test', title: 'The A/A test is calm', ...aaFinding(facts) },
  { id: 'overlap', title: 'Nobody else tests the same', ...overlapFinding(facts) },
];

type Found = Pick<Finding, 'state' | 'words'>;

const inDays = (days: number) => `In the last ${days === 1 ? 'day' : plural(days, 'day')}`;

function goalFinding({ goals, days }: ChecklistFacts): Found {
  const primary = goals.find(({ role }) => role === 'primary');
  if (primary === undefined)
    return { state: 'problem', words: 'The test has no primary goal, so nothing can be decided.' };
  const { name, events, isFeedback } = primary;
  const reached = isFeedback
    ? `${plural(events, 'answer')} to ${quote(name)} arrived`
    : `${plural(events, 'visitor')} reached ${quote(name)}`;
  const words = `${inDays(days)}, ${events === 0 ? `nobody ${isFeedback ? 'answered' : 'reached'} ${quote(name)}` : reached}.`;
  const silent = goals.filter((goal) => goal.role !== 'primary' && goal.events === 0);
  const others =
    silent.length === 0 ? '' : ` Without any event: ${names(silent.map((goal) => quote(goal.name)))}.`;
  if (events === 0)
    return {
      state: 'problem',
      words: `${words}${others} Check that its conversions are recorded; without them, the test never has a result.`,
    };
  return { state: others === '' ? 'ok' : 'warning', words: `${words}${others}` };
}

function splitFinding({ variations, visitors, days, previews }: ChecklistFacts): Found {
  const weighted = variations.filter(({ weight }) => weight > 0);
  if (weighted.length < 2 || weighted[0] !== variations[0])
    return {
      state: 'problem',
      words: 'The control and another variation need a weight above 0: otherwise nothing is compared.',
    };
  const same = weighted.find(({ value }, index) => weighted.findIndex((it) => it.value === value) !== index);
  if (same !== undefined)
    return {
      state: 'warning',
      words: `The variation ${quote(same.key)} has the same value as another one: a page cannot tell them apart by it.`,
    };
  if (visitors === 0)
    return {
      state: 'problem',
      words: `${inDays(days)}, no page has reported a visitor. Check that the pages load Switchyard.`,
    };
  if (previews === null)
    return {
      state: 'unknown',
      words: `${weighted.length} variations have a weight and a value of their own, and the pages load Switchyard. Whether a page shows each of them is not known yet, because pages do not get a draft: start with a traffic of 0 %, and open the preview links. Then this says which were opened.`,
    };
  const period = previews.isWholePhase ? 'in this phase' : `in the last ${plural(days, 'day')}`;
  const missing = weighted.filter(({ key }) => !previews.opened.includes(key));
  if (missing.length > 0)
    return {
      state: 'unknown',
      words: `Not opened by a preview link ${period}: ${names(missing.map(({ key }) => quote(key)))}. Look at each variation before more visitors do.`,
    };
  return {
    state: 'ok',
    words: `Each of the ${weighted.length} variations was opened by its preview link ${period}.`,
  };
}

function audienceFinding({ audience, visitors, days, plan: { participating } }: ChecklistFacts): Found {
  if (visitors === 0)
    return { state: 'problem', words: `${inDays(days)}, there were no visitors with a session.` };
  if (audience === null) {
    const who = participating < 100 ? `${percent(participating / 100)} of all visitors` : 'All visitors';
    const taking = plural((visitors * participating) / 100, 'visitor');
    return { state: 'ok', words: `${who} take part: ${taking} in ${plural(days, 'day')}.` };
  }
  const { share } = audience;
  if (share === 0)
    return {
      state: 'problem',
      words: `${inDays(days)}, no visitor with a session belonged to the audience. Attributes that only pages set are not stored, so it may have more visitors than that.`,
    };
  const words = `${inDays(days)}, ${percent(share)} of the visitors belonged to the audience: about ${plural(share * visitors, 'visitor')}.`;
  return { state: 'ok', words };
}

function planFinding({ plan }: ChecklistFacts): Found {
  const { planned, smallestEffect, assumedEffect, participating, dailyVisitors, needed, needsPlan } = plan;
  const daysFor = (visitors: number) => Math.ceil(visitors / dailyVisitors) + plan.withinDays;
  if (participating === 0)
    return {
      state: 'warning',
      words: 'The traffic of the test is 0 %: nobody takes part until it is raised, only previews show it.',
    };
  if (dailyVisitors === 0)
    return { state: 'problem', words: 'At the traffic of the last weeks, nobody would enter the test.' };
  const effect = percent(smallestEffect ?? assumedEffect);
  if (planned === null) {
    if (needsPlan)
      return {
        state: 'warning',
        words: 'No number of visitors is planned, but the method is valid for one look at the results only.',
      };
    if (needed === null)
      return { state: 'unknown', words: 'There is not enough data to estimate how long the test takes.' };
    const days = daysFor(needed);
    const words = `To find a change of ${effect}, it needs about ${plural(needed, 'visitor')}: ${plural(days, 'day')} at this traffic.`;
    return { state: days > LONG_DAYS ? 'warning' : 'ok', words };
  }
  const days = daysFor(planned);
  const length = `The planned ${plural(planned, 'visitor')} take about ${plural(days, 'day')} at this traffic.`;
  const isSmall = needed !== null && needed > planned;
  const words = isSmall
    ? `${length} To find a change of ${effect}, ${plural(needed, 'visitor')} would be needed.`
    : length;
  return { state: isSmall || days > LONG_DAYS ? 'warning' : 'ok', words };
}

function aaFinding({ aaTest, isAaTestOff }: ChecklistFacts): Found {
  if (isAaTestOff) return { state: 'unknown', words: 'The built-in A/A test is switched off.' };
  if (aaTest === undefined) return { state: 'unknown', words: 'The built-in A/A test has no result yet.' };
  const states = { alarm: 'problem', collecting: 'unknown', sound: 'ok' } as const;
  return { state: states[aaTest.verdict], words: aaTest.words };
}

function overlapFinding({ running }: ChecklistFacts): Found {
  const seeds = running.filter(({ sameSeed }) => sameSeed);
  if (seeds.length > 0)
    return {
      state: 'problem',
      words: `${namesOf(seeds)} ${seeds.length === 1 ? 'runs' : 'run'} with the same seed: the same visitors get the same variations, so the effects cannot be told apart. Give one of them another seed.`,
    };
  const related = running.filter(({ sameGoal, tags }) => sameGoal || tags.length > 0);
  if (related.length > 0) {
    const reasons = related.slice(0, MAX_NAMES).map(({ name, sameGoal, tags }) => {
      const shared = [
        ...(sameGoal ? ['the same primary goal'] : []),
        ...(tags.length > 0 ? [`the ${tags.length === 1 ? 'tag' : 'tags'} ${list(tags.map(quote))}`] : []),
      ];
      return `${quote(name)} (${list(shared)})`;
    });
    const more = related.length - reasons.length;
    return {
      state: 'warning',
      words: `Running tests that may change the same: ${list([...reasons, ...(more > 0 ? [`${count(more)} more`] : [])])}. Their visitors are split independently; an exclusion group keeps them apart.`,
    };
  }
  return running.length === 0
    ? { state: 'ok', words: 'No other test runs that shares visitors with this one.' }
    : {
        state: 'ok',
        words: `${plural(running.length, 'other test')} ${running.length === 1 ? 'runs' : 'run'} with the same visitors, split independently; none has the same primary goal or a tag of this one.`,
      };
}

const namesOf = (tests: readonly OverlappingTest[]) => names(tests.map(({ name }) => quote(name)));

function names(all: readonly string[]): string {
  const more = all.length - MAX_NAMES;
  return more > 0 ? list([...all.slice(0, MAX_NAMES), `${count(more)} more`]) : list(all);
}
