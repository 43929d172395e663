import { unknownName } from '@switchyard/core/evaluation/closest-name';
import { parseFlagValue } from '@switchyard/core/evaluation/flag-format';
import { createFlagCompiler, type FlagSet, type Outcome } from '@switchyard/core/evaluation/flags';
import { definitionIn } from '../../configuration/property/flag-definition.ts';
import {
  derivePerProperty,
  type PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import type { SessionIdentity } from '../../events/store/session-summary.ts';
import { CombinedTag, type PartTag, partTagOf } from '../../http/contract/etag.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { compileRuleRegex } from '../../platform/rule-regex.ts';
import type { CountedResult, EvaluationCounts } from './evaluation-counts.ts';
import { usageValue } from './usage-value.ts';

export type Context = Record<string, unknown>;

/** Finds the visitor and user of a session; synchronous if they are in memory. */
export type FindIdentity = (
  propertyId: string,
  sessionId: string,
) => SessionIdentity | undefined | Promise<SessionIdentity | undefined>;

/** The compiled flags of a property in one environment. */
export interface EnvironmentFlags {
  readonly propertyId: string;
  readonly environmentId: string;
  readonly set: FlagSet;
}

/** The flags of a property, compiled per environment when it is first asked for after a change. */
const flagSets = derivePerProperty(() => new Map<string, EnvironmentFlags>());

/** By the segments, which stay the same object while only flags change. */
const compilers = new WeakMap<PropertyConfiguration['segments'], ReturnType<typeof createFlagCompiler>>();

function compileFor({ flags, segments }: PropertyConfiguration, environmentId: string): FlagSet {
  const compile = compilers.get(segments) ?? createFlagCompiler(segments, { regex: compileRuleRegex });
  compilers.set(segments, compile);
  return compile(flags.map((flag) => definitionIn(flag, environmentId)));
}

export function flagsIn(property: PropertyConfiguration, environmentId: string): EnvironmentFlags {
  const compiled = flagSets(property);
  const known = compiled.get(environmentId);
  if (known !== undefined) return known;
  if (!property.environments.some(({ id }) => id === environmentId)) {
    const known = property.environments.map(({ id }) => id);
    throw new ApiError('environment_not_found', {
      message: `The property has no environment${unknownName(environmentId, known)}`,
    });
  }
  const set = compileFor(property, environmentId);
  const flags = { propertyId: property.id, environmentId, set };
  compiled.set(environmentId, flags);
  return flags;
}

/** Adds the visitor and user of the session in the context, if they are missing. */
export function withIdentity(
  propertyId: string,
  context: Context,
  find: FindIdentity,
): Context | Promise<Context> {
  const { sessionId } = context;
  if (typeof sessionId !== 'string' || (isPresent(context.visitorId) && isPresent(context.userId)))
    return context;
  const found = find(propertyId, sessionId);
  if (found instanceof Promise) return found.then((identity) => merge(context, identity));
  return merge(context, found);
}

const isPresent = (value: unknown) => value !== undefined && value !== null;

function merge(context: Context, identity: SessionIdentity | undefined): Context {
  if (identity === undefined) return context;
  const merged = { ...context };
  if (!isPresent(merged.visitorId) && identity.visitorId !== null) merged.visitorId = identity.visitorId;
  if (!isPresent(merged.userId) && identity.userId !== null) merged.userId = identity.userId;
  return merged;
}

/** What is derived from an outcome. */
interface CachedResult extends CountedResult {
  /** `"key":{…}` */
  readonly member: string;
  /** `{"key":…}`, in the format of the OpenFeature Remote Evaluation Protocol. */
  readonly ofrep: string;
  readonly ofrepTag: PartTag;
}

function cachedResult(flags: EnvironmentFlags, outcome: Outcome): CachedResult {
  outcome.derived ??= createCached(flags, outcome);
  return outcome.derived as CachedResult;
}

function createCached(flags: EnvironmentFlags, { key, evaluation }: Outcome): CachedResult {
  const { value, format, reason, ruleId, variant = ruleId ?? 'default', version } = evaluation;
  const typed = format === undefined ? value : parseFlagValue(value, format);
  const ofrep = JSON.stringify({ key, value: typed, reason, variant, metadata: { version } });
  return {
    propertyId: flags.propertyId,
    environmentId: flags.environmentId,
    flagKey: key,
    value: usageValue(value),
    count: 0,
    member: `${JSON.stringify(key)}:${JSON.stringify(evaluation)}`,
    ofrep,
    ofrepTag: partTagOf(ofrep),
  };
}

/** Evaluates flags for requests: builds responses from cached fragments, and counts the evaluations. */
export class FlagEvaluator {
  readonly #counts: EvaluationCounts;

  constructor(counts: EvaluationCounts) {
    this.#counts = counts;
  }

  /** The response body of an evaluation. */
  evaluationsJson(flags: EnvironmentFlags, context: Context, only: readonly string[] | undefined): string {
    // A local variable: this runs for every evaluation.
    const counts = this.#counts;
    let json = '{"flags":{';
    let separator = '';
    const add = (outcome: Outcome) => {
      const cached = cachedResult(flags, outcome);
      counts.add(cached);
      json += separator + cached.member;
      separator = ',';
    };
    if (only === undefined) flags.set.eachOutcome(context, add);
    else {
      for (const key of new Set(only)) {
        const outcome = flags.set.outcome(key, context);
        if (outcome !== undefined) add(outcome);
      }
    }
    return `${json}}}`;
  }

  /** One flag in the OpenFeature format; undefined if there is no such flag. */
  ofrepJson(flags: EnvironmentFlags, key: string, context: Context): string | undefined {
    const outcome = flags.set.outcome(key, context);
    if (outcome === undefined) return undefined;
    const cached = cachedResult(flags, outcome);
    this.#counts.add(cached);
    return cached.ofrep;
  }

  /** All flags in the OpenFeature format: the members of an array, and what identifies them. */
  ofrepList(flags: EnvironmentFlags, context: Context): { json: string; tag: CombinedTag } {
    const counts = this.#counts;
    const tag = new CombinedTag();
    let json = '';
    flags.set.eachOutcome(context, (outcome) => {
      const cached = cachedResult(flags, outcome);
      counts.add(cached);
      tag.add(cached.ofrepTag);
      json += json === '' ? cached.ofrep : `,${cached.ofrep}`;
    });
    return { json, tag };
  }
}
