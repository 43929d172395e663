import type { SplitTestResults } from '@switchyard/core/api/results';
import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';

import { useProperty } from '../configuration/property-context.tsx';
import type { ReportedTest } from './reported-test.ts';
import { reportedTests } from './reported-tests.ts';
import { hasOpenResults, titleOf } from './split-test-facts.ts';
import { verdictQuery } from './verdict-query.ts';
import { attentionOf } from './verdict-summary.ts';

export interface ListedTest {
  test: ReportedTest;
  /** Undefined for tests without open results. */
  results: UseQueryResult<SplitTestResults> | undefined;
}

export interface SplitTestFilters {
  search: string;
  /** A status, `decide`, or empty for everything but the archive. */
  status: string;
  tag: string;
  owner: string;
}

const STATUS_ORDER: Record<ReportedTest['status'], number> = {
  running: 2,
  paused: 3,
  draft: 4,
  stopped: 5,
  archived: 6,
};

/** The split tests and measured rules that match, those that need a decision first. Results arrive later and move rows up. */
export function useSplitTestList(filters: SplitTestFilters): ListedTest[] {
  const { propertyId, configuration } = useProperty();
  const tests = reportedTests(configuration);
  const open = useMemo(() => tests.filter(hasOpenResults), [tests]);
  const queries = useQueries({ queries: open.map((test) => verdictQuery(propertyId, test)) });
  const listed = tests.map((test) => ({ test, results: queries[open.indexOf(test)] }));
  return listed
    .filter((each) => matches(each, filters))
    .sort((a, b) => rankOf(a) - rankOf(b) || newest(b.test) - newest(a.test));
}

function matches({ test, results }: ListedTest, { search, status, tag, owner }: SplitTestFilters): boolean {
  const text = [titleOf(test), test.key, test.place, test.description, test.hypothesis]
    .join(' ')
    .toLowerCase();
  const words = search.toLowerCase().split(/\s+/);
  if (!words.every((word) => text.includes(word))) return false;
  if (tag !== '' && !test.tags.includes(tag)) return false;
  if (owner !== '' && test.owner !== owner) return false;
  if (status === 'decide') return attentionOf(results?.data) === 'decision';
  return status === '' ? test.status !== 'archived' : test.status === status;
}

function rankOf({ test, results }: ListedTest): number {
  const attention = attentionOf(results?.data);
  if (attention === 'decision') return 0;
  return attention === 'problem' ? 1 : STATUS_ORDER[test.status];
}

const newest = (test: ReportedTest) => test.phases.at(-1)?.startedAt ?? test.createdAt;
