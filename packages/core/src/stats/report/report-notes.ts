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
  | ({ readonly note: 'covariate-imbalance' } & CovariateImbalance);
