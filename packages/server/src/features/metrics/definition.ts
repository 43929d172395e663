import { managed } from '@switchyard/core/api/management';
import { ProvisionedMetric } from '@switchyard/core/api/metrics';
import type { CollectionDefinition } from '../../configuration/definitions/collection-definition.ts';
import { METRIC_WORDS } from './metric-change-words.ts';
import { metricGoals } from './metric-goal-rules.ts';
import { resolveMetrics } from './metric-rules.ts';
import { metricRows } from './metric-store.ts';

export const metricDefinition: CollectionDefinition<'metric'> = {
  type: 'metric',
  field: 'metrics',
  keyField: 'id',
  savedAfter: ['goal'],
  tables: { metrics: ['property_id', 'id'] },
  rows: metricRows,
  references: (metric) => metricGoals(metric).map((key) => ({ type: 'goal', key })),
  resolve: resolveMetrics,
  words: { fields: METRIC_WORDS },
  // A property without metrics is exported as it was before there were any.
  file: { omittedIfEmpty: true },
  managed: {
    path: 'metrics',
    body: ProvisionedMetric,
    response: managed('ManagedMetric', ProvisionedMetric.properties),
    access: 'editor',
  },
};
