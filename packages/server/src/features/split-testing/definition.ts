import { ManagedSplitTest } from '@switchyard/core/api/management';
import { ProvisionedSplitTest } from '@switchyard/core/api/provisioned-split-test';
import { segmentsIn } from '@switchyard/core/evaluation/segments';
import { isObject } from '@switchyard/core/merge/json-value';
import {
  type CollectionDefinition,
  GENERATED,
} from '../../configuration/definitions/collection-definition.ts';
import type { Reference } from '../../configuration/property/entities.ts';
import { fixedMetrics } from '../../configuration/property/fixed-metrics.ts';
import { feedbackOutcomeOf, goalIdOf, metricIdOf } from '../../configuration/property/test-outcome.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { SPLIT_TEST_WORDS } from './split-test-change-words.ts';
import { resolveSplitTests } from './split-test-rules.ts';
import { splitTestRows } from './split-test-store.ts';

export const splitTestDefinition: CollectionDefinition<'split-test'> = {
  type: 'split-test',
  field: 'splitTests',
  keyField: 'key',
  savedAfter: ['goal', 'metric', 'feedback-type', 'segment'],
  tables: {
    split_tests: ['id'],
    split_test_goals: ['split_test_id', 'goal_id'],
    split_test_feedback: ['split_test_id', 'position'],
    split_test_metrics: ['split_test_id', 'metric_id'],
    split_test_phases: ['split_test_id', 'number'],
  },
  rows: splitTestRows,
  references: ({ goals, guardrails, audience, decisionRule }) => [
    ...[...goals, ...guardrails].map((outcome): Reference => {
      const feedback = feedbackOutcomeOf(outcome);
      if (feedback !== undefined) return { type: 'feedback-type', key: feedback.feedbackType };
      const metric = metricIdOf(outcome);
      return metric === undefined
        ? { type: 'goal', key: goalIdOf(outcome) ?? '' }
        : { type: 'metric', key: metric };
    }),
    // The rule that was fixed must stay true.
    ...fixedMetrics(decisionRule).map((key): Reference => ({ type: 'metric', key })),
    ...segmentsIn(audience?.conditions ?? []).map((key): Reference => ({ type: 'segment', key })),
  ],
  resolve: resolveSplitTests,
  words: { fields: SPLIT_TEST_WORDS },
  file: {
    entryOf(document, { startAt, stopAt, decision }) {
      const {
        id: _id,
        createdAt: _createdAt,
        phases: _phases,
        decisionRule: _decisionRule,
        ...entry
      } = document;
      return {
        ...entry,
        startAt: isoTime(startAt),
        stopAt: isoTime(stopAt),
        decision: decision && { ...decision, decidedAt: isoTime(decision.decidedAt) },
      };
    },
    exported(entry) {
      if (!isObject(entry.exclusion)) return entry;
      // The end of a slot follows from its start and share.
      const { to: _to, ...slot } = entry.exclusion;
      return { ...entry, exclusion: slot };
    },
    withoutGenerated: (entry, given) =>
      given?.hashSeed === undefined ? { ...entry, hashSeed: GENERATED } : entry,
  },
  managed: {
    path: 'split-tests',
    body: ProvisionedSplitTest,
    response: ManagedSplitTest,
    access: 'editor',
    readOnly: ['id', 'createdAt', 'phases', 'decisionRule', 'exclusion/to'],
    refuseDeletion({ status }) {
      if (status !== 'running' && status !== 'paused') return;
      throw new ApiError('transition_not_allowed', {
        message: `The split test is ${status}. Stop it first; its results are lost with it.`,
        details: { allowed: ['stop'] },
      });
    },
  },
};

const isoTime = (time: number | null) => (time === null ? null : new Date(time).toISOString());
