import type { OverlapReport } from '@switchyard/core/api/learning/overlap';
import type { Phase } from '@switchyard/core/lifecycle/phases';
import type { PropertyConfiguration } from '../../../configuration/property/property-configuration.ts';
import type { SplitTestQuery } from '../../../events/store/split-test-queries.ts';
import { type PhaseScope, phaseOfQuery, phaseScope } from '../report-scope.ts';
import { nameOf, type ReportedTest, reportedTests } from '../reported-test.ts';

/** Each takes a count of the test. */
const MAX_OTHERS = 20;

/** A test and those that ran at the same time as its latest phase, small enough to send to another thread. */
export interface OverlapScope {
  /** With the primary goal only, without covariates. */
  readonly own: PhaseScope;
  readonly others: readonly OtherTest[];
  /** Tests beyond the limit. */
  readonly leftOut: number;
}

interface OtherTest {
  readonly test: Pick<
    OverlapReport['tests'][number],
    'splitTestKey' | 'measuredRule' | 'name' | 'status' | 'phase' | 'from' | 'to'
  >;
  readonly variations: readonly string[];
  readonly retired: readonly string[];
  /** Counts the visitors of the test by what they saw in this one. */
  readonly query: SplitTestQuery;
}

interface Candidate {
  readonly test: ReportedTest;
  readonly phase: Phase;
  /** What the phases have in common. */
  readonly from: number;
  readonly to: number;
}

export function overlapScope(property: PropertyConfiguration, test: ReportedTest, now: number): OverlapScope {
  const only = { ...test, goals: test.goals.slice(0, 1), guardrails: [] };
  const own = withoutCovariates(phaseScope(property, only, undefined, now));
  const phase = test.phases.at(-1);
  const candidates = phase === undefined ? [] : sharingTests(property, test, phase, now);
  const others = candidates.slice(0, MAX_OTHERS).map((it) => otherTest(property, own, it, now));
  return { own, others, leftOut: candidates.length - others.length };
}

/** Effects are compared as they were observed, with the same method for all properties. */
function withoutCovariates(scope: PhaseScope): PhaseScope {
  const { relatedTests: _tests, covariateGoalIds: _goals, by: _by, ...query } = scope.query;
  const statistics = {
    ...scope.statistics,
    engine: 'sequential' as const,
    cuped: false,
    prior: null,
    stratify: [],
  };
  return { ...scope, statistics, query: { ...query, preDays: 0, earlyDays: 0 } };
}

/** Tests that visitors of the phase may have seen, the longest time in common first. */
function sharingTests(
  property: PropertyConfiguration,
  test: ReportedTest,
  phase: Phase,
  now: number,
): Candidate[] {
  return reportedTests(property)
    .filter(({ key }) => key !== test.key)
    .flatMap((other) => sharedPhase(other, phase, now) ?? [])
    .toSorted((a, b) => b.to - b.from - (a.to - a.from) || (a.test.key < b.test.key ? -1 : 1));
}

/** The phase with the longest time in common, unless both tests are in an exclusion group and never share a visitor. */
function sharedPhase(test: ReportedTest, own: Phase, now: number): Candidate | undefined {
  const end = own.endedAt ?? now;
  const candidates = test.phases
    .filter(({ definition }) => !excludesEachOther(own.definition, definition))
    .map((phase) => ({
      test,
      phase,
      from: Math.max(own.startedAt, phase.startedAt),
      to: Math.min(end, phase.endedAt ?? now),
    }))
    .filter(({ from, to }) => from < to);
  return candidates.toSorted((a, b) => b.to - b.from - (a.to - a.from))[0];
}

const excludesEachOther = (a: Phase['definition'], b: Phase['definition']) =>
  a.exclusion !== null && a.exclusion.seed === b.exclusion?.seed;

function otherTest(
  property: PropertyConfiguration,
  own: PhaseScope,
  { test, phase, from, to }: Candidate,
  now: number,
): OtherTest {
  const scope = phaseScope(property, test, phase.number, now);
  const { unit, ...shown } = phaseOfQuery(scope.query);
  const isOpen = phase.endedAt === null && own.phase?.endedAt === null;
  return {
    test: {
      splitTestKey: test.key,
      ...(test.measuredRule && { measuredRule: { ...test.measuredRule } }),
      name: nameOf(property, test),
      status: test.status,
      phase: phase.number,
      from,
      to: isOpen ? null : to,
    },
    variations: shown.variationKeys,
    retired: scope.variations.flatMap(({ key, retired }) => (retired ? [key] : [])),
    query: {
      ...own.query,
      // Servers may know only the user: then nobody is a visitor of both.
      ...(test.measuredRule && unit === 'user' && { unit }),
      by: { attributes: [], max: shown.variationKeys.length, test: shown },
    },
  };
}
