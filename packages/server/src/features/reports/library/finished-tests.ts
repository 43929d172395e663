import type { LibraryOutcome, LibraryTest } from '@switchyard/core/api/learning/library';
import {
  derivePerProperty,
  type PropertyConfiguration,
  type SplitTest,
} from '../../../configuration/property/property-configuration.ts';
import { nameOf, type ReportedTest, reportedTests } from '../reported-test.ts';

/** A test or measured rule that has ended, and what a search finds it by. */
export interface FinishedTest {
  readonly test: ReportedTest;
  readonly notes: TestNotes;
  readonly startedAt: number;
  readonly endedAt: number;
  /** In lower case. */
  readonly text: string;
}

/** What people have written about it, and decided. */
type TestNotes = Pick<
  LibraryTest,
  'name' | 'hypothesis' | 'description' | 'tags' | 'owner' | 'decision' | 'outcome'
>;

/** Latest end first; computed once per change of the property. */
export const finishedTests = derivePerProperty((property): readonly FinishedTest[] => {
  const tests = property.splitTests.flatMap((test) => finishedTest(test, () => notesOfTest(test)) ?? []);
  const rules = reportedTests(property).filter(isMeasuredRule);
  const measured = rules.flatMap((rule) => finishedTest(rule, () => notesOfRule(property, rule)) ?? []);
  return [...tests, ...measured].sort(latestFirst);
});

type MeasuredRule = ReportedTest & Required<Pick<ReportedTest, 'measuredRule'>>;

/** Without goals, it was a rollout with guardrails: a release, and not a question. */
const isMeasuredRule = (test: ReportedTest): test is MeasuredRule =>
  test.measuredRule !== undefined && test.goals.length > 0;

function finishedTest(test: ReportedTest, notesOf: () => TestNotes): FinishedTest | undefined {
  const { key, status, phases, measuredRule } = test;
  const endedAt = phases.at(-1)?.endedAt ?? null;
  if (endedAt === null || (status !== 'stopped' && status !== 'archived')) return undefined;
  const notes = notesOf();
  const { name, hypothesis, description, decision, tags, owner } = notes;
  const place = measuredRule && [measuredRule.flagKey, measuredRule.environment, measuredRule.ruleId];
  const texts = [...(place ?? [key]), name, hypothesis, description, decision?.reason, ...tags, owner];
  return { test, notes, startedAt: phases[0]!.startedAt, endedAt, text: texts.join('\n').toLowerCase() };
}

export const latestFirst = (a: Position, b: Position) =>
  b.endedAt - a.endedAt || (a.test.key < b.test.key ? -1 : 1);

type Position = Pick<FinishedTest, 'endedAt'> & { readonly test: Pick<SplitTest, 'key'> };

function notesOfTest(test: SplitTest): TestNotes {
  const { key, name = key, hypothesis, description, tags, owner, decision } = test;
  return {
    name,
    hypothesis,
    description,
    tags: [...tags],
    owner,
    outcome: decision === null ? outcomeOf(test) : decision.outcome,
    decision: decision && { reason: decision.reason, decidedAt: decision.decidedAt },
  };
}

/** Those of its flag. A rule has neither a hypothesis nor a decision; why it was promoted, the history says. */
function notesOfRule(property: PropertyConfiguration, rule: MeasuredRule): TestNotes {
  const { description, tags, owner } = property.flags.find(({ key }) => key === rule.measuredRule.flagKey)!;
  return {
    name: nameOf(property, rule),
    hypothesis: null,
    description: description ?? null,
    tags: [...tags],
    owner,
    outcome: outcomeOf(rule),
    decision: null,
  };
}

/** Without a recorded decision, the winner says it. */
function outcomeOf({ winner, variations }: ReportedTest): LibraryOutcome {
  if (winner === null) return 'undecided';
  return winner === variations[0]?.key ? 'roll-back' : 'ship';
}
