import type { MeasuredRuleName } from '@switchyard/core/api/results';
import type { SplitTest } from '../configuration/configuration-types.ts';

/** What lists and results need to know of a split test, or of a rule of a flag that is measured like one. */
export interface ReportedTest
  extends Pick<
    SplitTest,
    | 'key'
    | 'name'
    | 'description'
    | 'hypothesis'
    | 'tags'
    | 'owner'
    | 'status'
    | 'startAt'
    | 'variations'
    | 'goals'
    | 'guardrails'
    | 'plannedVisitors'
    | 'winner'
    | 'decision'
    | 'phases'
    | 'version'
    | 'createdAt'
  > {
  /** Set if it is one. */
  measuredRule?: MeasuredRuleName;
  /** Of a measured rule, its environment and its name. */
  place?: string;
}

interface ResultsPlace {
  /** Path of the API, and what names the test there. */
  endpoint: string;
  query: Record<string, string>;
  /** Path of the page below the property, with its search. */
  page: string;
  search: Record<string, string>;
  /** Name of downloaded files, without an extension. */
  file: string;
}

/** Where the results of a test are. */
export function resultsOf({ key, measuredRule }: Pick<ReportedTest, 'key' | 'measuredRule'>): ResultsPlace {
  if (measuredRule === undefined) {
    return {
      endpoint: '/v1/split-testing/results',
      query: { splitTestKey: key },
      page: `split-tests/${encodeURIComponent(key)}`,
      search: {},
      file: key,
    };
  }
  const { flagKey, environment, ruleId } = measuredRule;
  return {
    endpoint: '/v1/flags/results',
    query: { flagKey, environment, ruleId },
    page: `flags/${encodeURIComponent(flagKey)}/results`,
    search: { env: environment, rule: ruleId },
    file: `${flagKey}-${ruleId}`.replaceAll(/[^A-Za-z0-9._-]/g, '_'),
  };
}
