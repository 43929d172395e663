import { buildReport, REPORT_VERSION, type Report } from '@switchyard/core/stats/report';
import type { ReportInput } from '@switchyard/core/stats/report-input';
import type { ReportScope } from './report-scope.ts';

export const BUNDLE_FORMAT = 'switchyard-report';

/** A report with all that it was computed from, so that anybody can compute it again. */
export interface ReportBundle {
  format: typeof BUNDLE_FORMAT;
  /** Of the computation. */
  engineVersion: number;
  exportedAt: number;
  propertyId: string;
  definition: object;
  /** Number of the phase that the counts are of. */
  phase: number | null;
  method: object;
  input: ReportInput;
  results: Report;
}

export function bundleOf({ property, test, phase }: ReportScope, input: ReportInput): ReportBundle {
  const { id, createdAt: _createdAt, ...definition } = test;
  return {
    format: BUNDLE_FORMAT,
    engineVersion: REPORT_VERSION,
    exportedAt: Date.now(),
    propertyId: property.id,
    definition,
    phase: phase?.number ?? null,
    method: { ...property.statistics, attributionDays: test.attributionDays },
    input,
    results: buildReport(input),
  };
}

/** Paths at which computing the bundle again gives something else, with both values. */
export function differencesIn(bundle: ReportBundle): string[] {
  // Through JSON as the bundle went, which drops members that are undefined.
  const again = JSON.parse(JSON.stringify(buildReport(bundle.input)));
  return compare('results', bundle.results, again);
}

function compare(path: string, given: unknown, computed: unknown): string[] {
  if (Object.is(given, computed)) return [];
  if (!isObject(given) || !isObject(computed)) {
    return [`${path}: the bundle says ${JSON.stringify(given)}, computed is ${JSON.stringify(computed)}`];
  }
  const names = new Set([...Object.keys(given), ...Object.keys(computed)]);
  return [...names].flatMap((name) => compare(`${path}.${name}`, given[name], computed[name]));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
