import type { Method, MethodSettings } from '../analysis.ts';
import type { ReportInput } from './report-input.ts';

/** Until the property has finished enough tests: hardly any change is larger than 20 %. */
export const WEAK_PRIOR = { mean: 0, sd: 0.1 } as const;

type MethodInput = Pick<ReportInput, 'statistics' | 'plannedVisitors' | 'learnedPrior'>;

/** Without a plan, there is no end over which errors could be spent. */
export function engineOf({
  statistics: { engine },
  plannedVisitors,
}: Pick<MethodInput, 'statistics' | 'plannedVisitors'>): Method {
  if (engine !== 'auto' && engine !== 'group-sequential') return engine;
  return plannedVisitors === null ? 'sequential' : 'group-sequential';
}

/** Whether the method decides at the planned number of visitors. */
export const endsAtPlan = (input: Pick<MethodInput, 'statistics' | 'plannedVisitors'>) =>
  input.plannedVisitors !== null && ['group-sequential', 'frequentist'].includes(engineOf(input));

/** Maps the settings of a property to those of the statistics kernel. */
export function methodOf(input: MethodInput, visitors: number): MethodSettings {
  const { alpha, sequentialN, spending } = input.statistics;
  const { mean, sd } = priorOf(input);
  return {
    method: engineOf(input),
    alpha,
    sequentialN,
    looks:
      input.plannedVisitors === null || visitors === 0
        ? undefined
        : { fraction: visitors / input.plannedVisitors, spending },
    prior: { proper: true, mean, sd },
  };
}

export const priorOf = ({ statistics: { prior }, learnedPrior }: MethodInput) =>
  prior ?? learnedPrior ?? WEAK_PRIOR;

/** Guardrails are watched every day until somebody stops the test, whatever its plan: always-valid. */
export function guardrailMethod({ statistics }: Pick<MethodInput, 'statistics'>): MethodSettings {
  const { alpha, sequentialN } = statistics;
  return { method: 'sequential', alpha, sequentialN };
}
