import type { StatisticsSettings } from '@switchyard/core/api/statistics';

export const ENGINES: { value: StatisticsSettings['engine']; label: string; description: string }[] = [
  {
    value: 'auto',
    label: 'Automatic',
    description: 'Group sequential for tests with a planned number of visitors, sequential for all others',
  },
  {
    value: 'sequential',
    label: 'Sequential',
    description: 'Look as often as you like, without a planned end. Needs more visitors in return',
  },
  {
    value: 'group-sequential',
    label: 'Group sequential',
    description: 'Look as often as you like until the planned number of visitors. Without a plan: sequential',
  },
  {
    value: 'frequentist',
    label: 'Frequentist',
    description: 'Look once, at the planned number of visitors. Looking earlier gives false alarms',
  },
  {
    value: 'bayesian',
    label: 'Bayesian',
    description: 'The chance that a variation is better, and the expected loss, instead of error rates',
  },
];

export const SPENDINGS: Record<StatisticsSettings['spending'], string> = {
  'obrien-fleming': 'Late: strict at first (O’Brien-Fleming)',
  pocock: 'Evenly: finds large effects earlier, small ones less often (Pocock)',
};

export const CORRECTIONS: Record<StatisticsSettings['correction'], string> = {
  holm: 'Allow no false alarm at all (Holm)',
  'benjamini-hochberg': 'Allow a small share of false alarms (Benjamini-Hochberg)',
  none: 'Do not correct',
};

export const STRATA: { value: StatisticsSettings['stratify'][number]; label: string }[] = [
  { value: 'country', label: 'Visitors of the same country' },
  { value: 'device', label: 'Visitors with the same kind of device' },
];
