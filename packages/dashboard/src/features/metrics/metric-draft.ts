import type { MetricFormat, MetricKind, MetricStep, MetricValue } from '@switchyard/core/api/metrics';

/** A metric while it is edited: it has the members of its kind, and may still be incomplete. */
export interface MetricDraft {
  id: string;
  name: string;
  version?: number;
  description: string | null;
  tags: readonly string[];
  lowerIsBetter: boolean;
  cap: number | null;
  format: MetricFormat | null;
  /** Missing: not chosen yet. */
  kind?: MetricKind | undefined;
  goalId?: string | null | undefined;
  withinDays?: number | null | undefined;
  numerator?: MetricValue | undefined;
  denominator?: MetricValue | undefined;
  fromDay?: number | undefined;
  toDay?: number | undefined;
  steps?: readonly MetricStep[] | undefined;
  quantile?: number | undefined;
  path?: string | null | undefined;
  event?: string | undefined;
  property?: string | undefined;
  of?: 'visitors' | 'views' | 'bounce' | 'count' | undefined;
}

export const NEW_METRIC: MetricDraft = {
  id: '',
  name: '',
  description: null,
  tags: [],
  lowerIsBetter: false,
  cap: null,
  format: null,
};

/** What belongs to a kind, or to no kind. */
const NO_MEMBERS = {
  lowerIsBetter: false,
  cap: null,
  goalId: undefined,
  withinDays: undefined,
  numerator: undefined,
  denominator: undefined,
  fromDay: undefined,
  toDay: undefined,
  steps: undefined,
  quantile: undefined,
  path: undefined,
  event: undefined,
  property: undefined,
  of: undefined,
} as const satisfies Partial<MetricDraft>;

const START: Record<MetricKind, Partial<MetricDraft>> = {
  count: {},
  sum: {},
  ratio: { numerator: { goalId: '', of: 'sum' }, denominator: { goalId: '', of: 'count' } },
  retention: { fromDay: 1, toDay: 7 },
  funnel: { steps: [{ path: '' }, { goalId: '' }], withinDays: 7 },
  quantile: { quantile: 0.9, event: '', property: '' },
  page: { of: 'visitors' },
  event: { event: '', of: 'visitors' },
};

/** The changes that make a draft one of another kind. */
export const asKind = (kind: MetricKind): Partial<MetricDraft> => ({ ...NO_MEMBERS, ...START[kind], kind });

/** Whether the values of a visitor are added up, so that they can be limited. */
export const canBeCapped = ({ kind, of }: Pick<MetricDraft, 'kind' | 'of'>): boolean =>
  kind === 'count' ||
  kind === 'sum' ||
  kind === 'ratio' ||
  of === 'views' ||
  (kind === 'event' && of === 'count');

/** Whether it has values of its own: a share of visitors is always a percentage. */
export const hasFormat = (metric: Pick<MetricDraft, 'kind' | 'of'>): boolean =>
  canBeCapped(metric) || metric.kind === 'quantile';

/** Whether nothing is missing that the server would ask for. */
export function isComplete(draft: MetricDraft): boolean {
  const { kind, goalId, event, property, steps = [], numerator, denominator } = draft;
  switch (kind) {
    case undefined:
      return false;
    case 'count':
    case 'sum':
      return Boolean(goalId);
    case 'ratio':
      return isCompleteSource(numerator) && isCompleteSource(denominator);
    case 'retention':
      return draft.fromDay !== undefined && draft.toDay !== undefined && draft.fromDay <= draft.toDay;
    case 'funnel':
      return steps.length > 1 && steps.every(isCompleteSource) && Boolean(draft.withinDays);
    case 'quantile':
      return Boolean(draft.quantile) && Boolean(goalId ?? (event && property));
    case 'page':
      return true;
    case 'event':
      return Boolean(event);
  }
}

function isCompleteSource(source: MetricStep | MetricValue | undefined): boolean {
  if (source === undefined) return false;
  if ('goalId' in source) return source.goalId !== '';
  return 'path' in source ? /^[/*]/.test(source.path) : source.event !== '';
}
