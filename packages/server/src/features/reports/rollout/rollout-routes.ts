import { GuardedRollout, RolloutQuery } from '@switchyard/core/api/results/guarded-rollouts';
import type { Rollout } from '@switchyard/core/api/targeting';
import { isGuarded } from '@switchyard/core/evaluation/measured-rules';
import { plannedPhases } from '@switchyard/core/lifecycle/guarded-rollout';
import {
  PRODUCTION,
  type PropertyConfiguration,
} from '../../../configuration/property/property-configuration.ts';
import type { Authentication } from '../../../http/access/authentication.ts';
import type { ApiRoutes } from '../../../http/pipeline/api-routes.ts';
import { EVENT_QUERY_ERRORS, invalidField } from '../../../platform/errors/errors.ts';
import { sendReport } from '../report-routes.ts';
import type { ReportRunner } from '../report-runner.ts';
import { findMeasuredRule, type ReportedTest } from '../reported-test.ts';
import { rolloutScope } from './rollout-scope.ts';

interface Dependencies {
  auth: Authentication;
  reports: Pick<ReportRunner, 'run'>;
}

const DEFAULT_HARM = 0.05;

/** How a rollout with guardrails goes on, and what other guardrails would have done. */
export function registerRolloutRoutes(api: ApiRoutes, { auth, reports }: Dependencies): void {
  api.get<{ Querystring: RolloutQuery }>(
    '/v1/flags/rollout',
    {
      tag: 'Flags',
      summary: 'What a rollout with guardrails waits for, and how it went so far',
      description:
        'Of each percentage, those inside and those outside are compared, and it says what there was to do at its end. With `guardrails`, it is a dry run over all phases of a measured rollout: what these guardrails would have done. Nothing is changed.',
      key: 'secret',
      members: true,
      querystring: RolloutQuery,
      responses: { 200: { ...GuardedRollout, description: 'The rollout' } },
      errors: ['wrong_property', 'environment_not_found', 'not_found', 'overloaded', ...EVENT_QUERY_ERRORS],
    },
    (request, reply) => {
      const property = auth.property(request, request.query.propertyId);
      return sendReport(reply, reports.run(rolloutRequest(property, request.query)));
    },
  );
}

function rolloutRequest(property: PropertyConfiguration, query: RolloutQuery) {
  const { flagKey, environment = PRODUCTION.id, ruleId, minVisitors } = query;
  const measuredRule = { flagKey, environment, ruleId };
  const measured = findMeasuredRule(property, measuredRule);
  const flag = property.flags.find(({ key }) => key === flagKey);
  const configuration = flag?.configurations.find(({ environmentId }) => environmentId === environment);
  const rule = configuration?.rules.find(({ id }) => id === ruleId);
  const plan = configuration?.measured?.find((each) => each.ruleId === ruleId)?.plan;
  const rollout = rule?.rollout;
  const dryRun = query.guardrails !== undefined;
  if (!dryRun && plan === undefined && !isGuarded(rollout)) {
    throw invalidField('/guardrails', 'is missing: the rollout has no guardrails');
  }
  const now = Date.now();
  const scope = dryRun
    ? rolloutScope(property, measured, replayed(property, measured, query.guardrails!, minVisitors), {
        firstPhase: 1,
        plannedPhases: measured.phases.length,
        now,
      })
    : rolloutScope(
        property,
        measured,
        { guardrails: plan?.guardrails, ...rollout },
        { firstPhase: plan?.firstPhase ?? 1, plannedPhases: plan ? plannedPhases(plan) : 1, now },
      );
  const configured = {
    measuredRule,
    dryRun,
    percentage: rollout?.percentage ?? 100,
    isOn: configuration?.enabled === true && rule?.enabled !== false,
    isGuarded: isGuarded(rollout),
    ended: plan?.ended,
  };
  return { type: 'rollout-report', scope, configured } as const;
}

/** @param text such as `refunds:0.02,metric:load-time` */
function replayed(
  property: PropertyConfiguration,
  { variations }: ReportedTest,
  text: string,
  minVisitors: number | undefined,
): Pick<Rollout, 'guardrails' | 'minVisitors'> {
  if (!variations.some(({ key, value }) => key === 'off' && value === '')) {
    throw invalidField('/guardrails', 'cannot be replayed: the rule is a split, not a rollout');
  }
  const guardrails = text.split(',').map((entry) => {
    const isMetric = entry.startsWith('metric:');
    const [id = '', harm] = (isMetric ? entry.slice('metric:'.length) : entry).split(':');
    const maxHarm = harm === undefined ? DEFAULT_HARM : Number(harm);
    if (!(maxHarm > 0 && maxHarm <= 10)) throw invalidField('/guardrails', `"${harm}" is no harm`);
    const known = isMetric ? property.metrics : property.goals;
    if (!known.some((each) => each.id === id)) {
      throw invalidField('/guardrails', `"${id}" is not a ${isMetric ? 'metric' : 'goal'} of this property`);
    }
    return isMetric ? { metric: id, maxHarm } : { goalId: id, maxHarm };
  });
  if (new Set(guardrails.map((each) => JSON.stringify({ ...each, maxHarm: 0 }))).size < guardrails.length) {
    throw invalidField('/guardrails', 'has something twice');
  }
  return { guardrails, ...(minVisitors !== undefined && { minVisitors }) };
}
