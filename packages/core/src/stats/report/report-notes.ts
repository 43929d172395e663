import type { CovariateImbalance } from './covariate-balance.ts';

/** What a reader should know about the figures of a report; unlike problems, notes do not prevent a verdict. */
export type ReportNote =
  | {
      readonly note: 'planned-end';
      /** When the planned number of visitors was reached; goals are compared with the visitors until then. */
      readonly at: number;
      readonly visitors: number;
    }
  | { readonly note: 'moved-visitors'; readonly visitors: number }
  | ({ readonly note: 'covariate-imbalance' } & CovariateImbalance)
  | {
      readonly note: 'pending-visitors';
      readonly goalId: string;
      readonly name: string;
      /** Visitors whose window is not over, and all visitors. */
      readonly pending: number;
      readonly visitors: number;
      readonly withinDays: number | null;
    }
  /** Settings of the property that metrics do not use. */
  | { readonly note: 'metric-settings'; readonly unused: readonly UnusedSetting[] }
  | {
      readonly note: 'quantile-mix';
      /** The lowest and the highest share of returning visitors, with their variations. */
      readonly least: ReturningShare;
      readonly most: ReturningShare;
    };

export type UnusedSetting = 'cuped' | 'winsorize' | 'stratify';

export interface ReturningShare {
  readonly variation: string;
  readonly share: number;
}
