import { buildReport, REPORT_VERSION, type Report } from '@switchyard/core/stats/report/report';
import type { ReportInput } from '@switchyard/core/stats/report/report-input';
import type { SplitTest } from '../../storage/property-configuration.ts';
import type { ReportScope } from './report-scope.ts';

export const BUNDLE_FORMAT = 'switchyard-report';

export type BundleDefinition = Omit<SplitTest, 'id' | 'createdAt'>;

/** A report with all that it was computed from, so that anybody can compute it again. */
export interface ReportBundle {
  format: typeof BUNDLE_FORMAT;
  /** Of the computation. */
  engineVersion: number;
  exportedAt: number;
  propertyId: string;
  definition: BundleDefinition;
  /** Number of the phase that the counts are of. */
  phase: number | null;
  method: object;
  input: ReportInput;
  results: Report;
}

export function bundleOf(
  { query, statistics, test, phase }: ReportScope,
  definition: BundleDefinition,
  input: ReportInput,
): ReportBundle {
  return {
    format: BUNDLE_FORMAT,
    engineVersion: REPORT_VERSION,
    exportedAt: Date.now(),
    propertyId: query.propertyId,
    definition,
    phase: phase?.number ?? null,
    method: { ...statistics, attributionDays: test.attributionDays },
    input,
    results: buildReport(input),
  };
}

/** Paths at which computing the bundle again gives something else, with both values. */
export function differencesIn(bundle: ReportBundle): string[] {
  // Through JSON as the bundle went, which drops members that are undefined.
  const again = JSON.parse(JSON.stringify(buildReport(bundle.input)));
  return [...contradictionsIn(bundle), ...compare('results', bundle.results, again)];
}

/** Definition and method are there for people; they must be the ones that the results are computed with. */
function contradictionsIn({ definition, phase: number, method, input }: ReportBundle): string[] {
  const phase = definition.phases.find((it) => it.number === number);
  if (phase === undefined && number !== null) return [`phase: the definition has no phase ${number}`];
  const { attributionDays, smallestEffect, plannedVisitors, goals, guardrails } = definition;
  const { variations } = phase?.definition ?? definition;
  const idsOf = (isGuardrail: boolean) =>
    input.goals.filter(({ role }) => (role === 'guardrail') === isGuardrail).map(({ id }) => id);
  const stated = {
    smallestEffect,
    plannedVisitors,
    goals,
    guardrails,
    variations: variations.map(({ key, weight }) => ({ key, weight })),
    endedAt: phase?.endedAt ?? null,
  };
  const used = {
    smallestEffect: input.smallestEffect,
    plannedVisitors: input.plannedVisitors,
    goals: idsOf(false),
    guardrails: idsOf(true),
    variations: input.variations,
    endedAt: input.endedAt,
  };
  return [
    ...compare('method', method, { ...input.statistics, attributionDays }),
    ...compare('definition', stated, used),
  ];
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
