import type { Library, LibraryTest } from '@switchyard/core/api/learning/library';
import { libraryFigures } from '@switchyard/core/stats/library/library-figures';
import { libraryRecord, spreadsOf } from '@switchyard/core/stats/library/library-record';
import { type PrimaryFindings, primaryFindings } from '@switchyard/core/stats/library/primary-findings';
import { finishedEffects, learnPrior } from '@switchyard/core/stats/report/learned-prior';
import type { ReportInput } from '@switchyard/core/stats/report/report-input';
import { HOUR_MS } from '@switchyard/core/time';
import type { ReportInputs } from '../report-inputs.ts';
import type { LibraryEntry, LibraryScope } from './library-scope.ts';

/** Counting starts with no further test after this time; what was counted is cached for the next request. */
const BUDGET_MS = 20_000;
/** After its attribution has ended, only erasures and the retention change what a test has counted. */
const SETTLED_AGE_MS = HOUR_MS;

const NOT_COUNTED = 'Not counted yet: ask again.';

/** A page of finished tests, and what all of them say about the next one. */
export async function libraryReport(
  inputs: ReportInputs,
  scope: LibraryScope,
  changes: number,
  signal: AbortSignal | undefined,
): Promise<Library> {
  const { page, record, finished, matching, nextCursor } = scope;
  const entries = new Map(scope.entries.map((entry) => [entry.splitTestKey, entry]));
  const counted = await countTests(inputs, scope, changes, signal);
  const findings = findingsOf(scope, counted);
  const recorded = record.map((key) => ({ ...entries.get(key)!, findings: findings.get(key) }));
  const spreads = spreadsOf(recorded);
  return {
    asOf: Math.min(Date.now(), ...[...counted.values()].map(({ asOf }) => asOf)),
    record: libraryRecord(recorded, finished),
    tests: page.map((key) => {
      const entry = entries.get(key)!;
      const found = findings.get(key);
      const figures = found
        ? libraryFigures(found, entry.winner, spreads)
        : { figures: null, words: NOT_COUNTED };
      return { ...aboutTest(entry), ...figures };
    }),
    matching,
    nextCursor,
  };
}

/** The tests of the page first, then those of the record, as long as there is time. */
async function countTests(
  inputs: ReportInputs,
  { entries }: LibraryScope,
  changes: number,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, ReportInput>> {
  const counted = new Map<string, ReportInput>();
  const started = performance.now();
  for (const { splitTestKey: key, scope, settledAt } of entries) {
    signal?.throwIfAborted();
    if (performance.now() - started > BUDGET_MS) break;
    const isSettled = settledAt < Date.now();
    const policy = { changes, fresh: false, ...(isSettled && { maxAgeMs: SETTLED_AGE_MS }) };
    const { input } = await inputs.prepare({ ...scope, finished: [] }, false, policy);
    counted.set(key, input);
  }
  return counted;
}

/** As in the results of each test, where the Bayesian method learns from the others. */
function findingsOf(
  { record }: LibraryScope,
  counted: ReadonlyMap<string, ReportInput>,
): ReadonlyMap<string, PrimaryFindings> {
  const effects = new Map(
    record.flatMap((key) => {
      const input = counted.get(key);
      return input === undefined ? [] : [[key, finishedEffects(input)] as const];
    }),
  );
  return new Map(
    [...counted].map(([key, input]) => {
      const { engine, prior } = input.statistics;
      if (engine !== 'bayesian' || prior !== null) return [key, primaryFindings(input)];
      const others = [...effects].filter(([other]) => other !== key).map(([, list]) => list);
      const learnedPrior = learnPrior(others);
      return [key, primaryFindings({ ...input, ...(learnedPrior && { learnedPrior }) })];
    }),
  );
}

function aboutTest(entry: LibraryEntry): Omit<LibraryTest, 'figures' | 'words'> {
  const { isPartial: _isPartial, settledAt: _settledAt, scope: _scope, ...about } = entry;
  return about;
}
