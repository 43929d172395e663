import type { Audience } from '@switchyard/core/api/audience';
import type {
  ExplanationBody,
  FlagExplanation,
  SessionFlags,
  SplitTestExplanation,
} from '@switchyard/core/api/explanations';
import type { PersonFlag } from '@switchyard/core/api/people';
import type { Segment } from '@switchyard/core/api/targeting';
import type { Context } from '@switchyard/core/evaluation/attribute-values';
import { explainAssignment } from '@switchyard/core/evaluation/explain-assignment';
import type { ExplainedAudience } from '@switchyard/core/evaluation/explain-audience';
import type { ExplainedFlag } from '@switchyard/core/evaluation/explain-flag';
import type { Evaluation } from '@switchyard/core/evaluation/flags';
import { segmentsIn } from '@switchyard/core/evaluation/segments';
import {
  attributesOfAudience,
  type Targeting,
  TargetingIndex,
} from '@switchyard/core/evaluation/used-attributes';
import { definitionInForce } from '@switchyard/core/lifecycle/phases';
import type { PastConfiguration } from '../../configuration/history/history-state.ts';
import { definitionIn } from '../../configuration/property/flag-definition.ts';
import type {
  PropertyConfiguration,
  SplitTest,
} from '../../configuration/property/property-configuration.ts';
import { visitPartsFor, withEntry, withStart } from '../../events/store/audience-context.ts';
import type { SessionDetail } from '../../events/store/event-store.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { contextOfSession, type FoundContext } from './explained-context.ts';

/** The definitions that an explanation uses. */
export interface ExplainedMoment {
  property: PastConfiguration;
  at: number;
  historical: boolean;
}

interface EvaluationInput {
  targeting: Targeting;
  context: Context;
}

interface AudienceInput {
  audience: Audience;
  /** Those that the audience uses, directly or not. */
  segments: readonly Segment[];
  context: Context;
}

/** Evaluates definitions on another thread. */
export interface Evaluations {
  /** Null for a flag that does not exist. */
  explain(key: string, input: EvaluationInput): Promise<ExplainedFlag | null>;
  explainAudience(input: AudienceInput): Promise<ExplainedAudience>;
  /** In the order of the flags. */
  evaluateAll(input: EvaluationInput): Promise<{ key: string; evaluation: Evaluation; unknown: string[] }[]>;
}

type ItemName = Pick<ExplanationBody, 'key'>;

export async function flagExplanation(
  { property, at, historical }: ExplainedMoment,
  { key, environment }: ItemName & { environment: string },
  context: Context,
  flags: Pick<Evaluations, 'explain'>,
): Promise<FlagExplanation> {
  const flag = property.flags.find((each) => each.key === key);
  const targeting = targetingIn(property, environment);
  const explained = flag && (await flags.explain(key, { targeting, context }));
  if (!flag || !explained) throw missing('flag', key, historical);
  const { value, type, reason, ruleId } = explained.evaluation;
  return {
    type: 'flag',
    key,
    environment,
    at,
    historical,
    flagType: type,
    value,
    reason,
    version: savedVersion(flag),
    configurationVersion: property.version,
    contextUsed: { attributes: context, unknown: explained.unknown },
    ...(ruleId !== undefined && { ruleId }),
    ...(explained.ruleIndex !== undefined && { ruleIndex: explained.ruleIndex }),
    steps: explained.steps,
  };
}

interface TestServices {
  eventStore: Pick<EventStoreClient, 'knownSessions'>;
  evaluations: Pick<Evaluations, 'explainAudience'>;
}

export async function splitTestExplanation(
  { property, at, historical }: ExplainedMoment,
  { key }: ItemName,
  found: FoundContext,
  services: TestServices,
): Promise<SplitTestExplanation> {
  const test = property.splitTests.find((each) => each.key === key);
  if (test === undefined) throw missing('split test', key, historical);
  const { holdout, exclusion, audience: _audience, ...definition } = definitionInForce(test, property);
  const { context, audience } = await audienceOf(test, property, found, services);
  const { visitorId, userId } = context;
  const isKnown = typeof visitorId === 'string' && visitorId !== '';
  const explained = explainAssignment(
    {
      status: test.status,
      winner: test.winner,
      phase: test.phases.at(-1)?.number ?? null,
      definition: { ...definition, ...(exclusion && { exclusion }) },
      ...(holdout && { holdout }),
      audience: audience?.step,
    },
    isKnown ? visitorId : undefined,
    typeof userId === 'string' ? userId : undefined,
  );
  const unknown = [...new Set([...(audience?.unknown ?? []), ...(isKnown ? [] : ['visitorId'])])].sort();
  return {
    type: 'split-test',
    key,
    at,
    historical,
    version: savedVersion(test),
    configurationVersion: property.version,
    contextUsed: { attributes: context, unknown },
    ...explained,
  };
}

/** The context with what the audience asks for, and whether it belongs to the audience. */
async function audienceOf(
  { audience }: Pick<SplitTest, 'audience'>,
  { id, segments, timeZone }: PastConfiguration,
  { context, sessionId }: FoundContext,
  { eventStore, evaluations }: TestServices,
): Promise<{ context: Context; audience?: ExplainedAudience }> {
  if (audience === undefined) return { context };
  const { conditions } = audience;
  const used = new TargetingIndex({ flags: [], segments }).withContained(segmentsIn(conditions));
  const visit = visitPartsFor(attributesOfAudience({ conditions, segments: used }).named);
  const [known] =
    sessionId === undefined || visit.length === 0
      ? []
      : await eventStore.knownSessions({ propertyId: id, sessionIds: [sessionId], attributes: [], visit });
  const whole = withStart(withEntry(context, known), known ?? {}, timeZone);
  const explained = await evaluations.explainAudience({ audience, segments: used, context: whole });
  return { context: whole, audience: explained };
}

/** The values of all flags for a session. */
export async function sessionFlags(
  { property, at }: ExplainedMoment,
  session: SessionDetail,
  environment: string,
  evaluations: Pick<Evaluations, 'evaluateAll'>,
): Promise<SessionFlags> {
  const context = contextOfSession(session);
  const targeting = targetingIn(property, environment);
  const evaluated = await evaluations.evaluateAll({ targeting, context });
  const flags = evaluated.map(({ key, evaluation: { value, reason, ruleId, version }, unknown }, index) => {
    const { name, configurations } = property.flags[index]!;
    const rules = configurations.find((each) => each.environmentId === environment)?.rules ?? [];
    const rule = ruleId !== undefined && { ruleId, ruleIndex: rules.findIndex(({ id }) => id === ruleId) };
    return { flagKey: key, name, value, reason, ...rule, version, unknown };
  });
  const { sessionId, visitorId, userId } = session;
  const unknown = [...new Set(flags.flatMap((flag) => flag.unknown))].sort();
  return {
    sessionId,
    visitorId,
    userId,
    environment,
    at,
    computed: true,
    configurationVersion: property.version,
    contextUsed: { attributes: context, unknown },
    flags,
  };
}

/** The values of all flags in all environments now. */
export async function currentFlags(
  property: PropertyConfiguration,
  session: SessionDetail,
  evaluations: Pick<Evaluations, 'evaluateAll'>,
): Promise<PersonFlag[]> {
  const flags: PersonFlag[] = [];
  const moment = { property, at: Date.now(), historical: false };
  for (const { id: environment } of property.environments) {
    const values = await sessionFlags(moment, session, environment, evaluations);
    for (const { flagKey, value, reason } of values.flags)
      flags.push({ environment, flagKey, value, reason });
  }
  return flags;
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
