import type {
  ExplanationBody,
  FlagExplanation,
  SessionFlags,
  SplitTestExplanation,
} from '@switchyard/core/api/explanations';
import type { Context } from '@switchyard/core/evaluation/attribute-values';
import { explainAssignment } from '@switchyard/core/evaluation/explain-assignment';
import { explainFlag } from '@switchyard/core/evaluation/explain-flag';
import { compileFlags } from '@switchyard/core/evaluation/flags';
import type { RegexCompiler } from '@switchyard/core/evaluation/operators';
import {
  attributesOf,
  type Targeting,
  TargetingIndex,
  unknownAttributes,
} from '@switchyard/core/evaluation/used-attributes';
import { definitionInForce } from '@switchyard/core/lifecycle/phases';
import { ApiError } from '../../errors.ts';
import type { SessionDetail } from '../../storage/event-store.ts';
import { definitionIn } from '../../storage/flag-definition.ts';
import type { PastConfiguration } from '../../storage/history/history-state.ts';
import { contextOfSession } from './explained-context.ts';
import { shortSteps } from './short-steps.ts';

/** The definitions that an explanation uses. */
export interface ExplainedMoment {
  property: PastConfiguration;
  at: number;
  historical: boolean;
}

type ItemName = Pick<ExplanationBody, 'key'>;

export function flagExplanation(
  { property, at, historical }: ExplainedMoment,
  { key, environment }: ItemName & { environment: string },
  context: Context,
  regex: RegexCompiler,
): FlagExplanation {
  const flag = property.flags.find((each) => each.key === key);
  if (flag === undefined) throw missing('flag', key, historical);
  const explained = explainFlag(key, targetingIn(property, environment), context, { regex })!;
  const { value, type, reason, ruleId } = explained.evaluation;
  return {
    ...{ type: 'flag', key, environment, at, historical, flagType: type, value, reason },
    version: savedVersion(flag),
    configurationVersion: property.version,
    contextUsed: { attributes: context, unknown: explained.unknown },
    ...(ruleId !== undefined && { ruleId }),
    ...(explained.ruleIndex !== undefined && { ruleIndex: explained.ruleIndex }),
    steps: shortSteps(explained.steps),
  };
}

export function splitTestExplanation(
  { property, at, historical }: ExplainedMoment,
  { key }: ItemName,
  context: Context,
): SplitTestExplanation {
  const test = property.splitTests.find((each) => each.key === key);
  if (test === undefined) throw missing('split test', key, historical);
  const { holdout, exclusion, ...definition } = definitionInForce(test, property);
  const { visitorId } = context;
  const isKnown = typeof visitorId === 'string' && visitorId !== '';
  const explained = explainAssignment(
    {
      ...{ status: test.status, winner: test.winner, phase: test.phases.at(-1)?.number ?? null },
      definition: { ...definition, ...(exclusion && { exclusion }) },
      ...(holdout && { holdout }),
    },
    isKnown ? visitorId : undefined,
  );
  return {
    ...{ type: 'split-test', key, at, historical },
    version: savedVersion(test),
    configurationVersion: property.version,
    contextUsed: { attributes: context, unknown: isKnown ? [] : ['visitorId'] },
    ...explained,
  };
}

/** The values of all flags for a session. */
export function sessionFlags(
  { property, at }: ExplainedMoment,
  session: SessionDetail,
  environment: string,
  regex: RegexCompiler,
): SessionFlags {
  const context = contextOfSession(session);
  const targeting = targetingIn(property, environment);
  const set = compileFlags(targeting.flags, targeting.segments, { regex });
  const index = new TargetingIndex(targeting);
  const unknownOf = (key: string) => unknownAttributes(attributesOf(index.neededFor([key])), context);
  const flags = property.flags.map(({ key, name, version, configurations }) => {
    const { value, reason, ruleId } = set.evaluate(key, context)!;
    const rules = configurations.find((each) => each.environmentId === environment)?.rules ?? [];
    const rule = ruleId !== undefined && { ruleId, ruleIndex: rules.findIndex(({ id }) => id === ruleId) };
    return { flagKey: key, name, value, reason, ...rule, version, unknown: unknownOf(key) };
  });
  const { sessionId, visitorId, userId } = session;
  const unknown = [...new Set(flags.flatMap((flag) => flag.unknown))].sort();
  return {
    ...{ sessionId, visitorId, userId, environment, at, computed: true },
    configurationVersion: property.version,
    contextUsed: { attributes: context, unknown },
    flags,
  };
}

function targetingIn({ environments, flags, segments }: PastConfiguration, environment: string): Targeting {
  if (!environments.some(({ id }) => id === environment)) throw new ApiError('environment_not_found');
  return { flags: flags.map((flag) => definitionIn(flag, environment)), segments };
}

/** Items that were never saved have version 0. */
const savedVersion = ({ version }: { version: number }) => (version === 0 ? null : version);

function missing(noun: string, key: string, historical: boolean): ApiError {
  const message = historical
    ? `There was no ${noun} "${key}" at that time.`
    : `There is no ${noun} "${key}".`;
  return new ApiError('not_found', { message });
}
