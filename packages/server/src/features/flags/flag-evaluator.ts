import type { Evaluation, FlagSet } from '@switchyard/core/evaluation/flags';
import { compileFlags } from '@switchyard/core/evaluation/flags';
import { ApiError } from '../../errors.ts';
import type { SessionIdentity } from '../../storage/event-store.ts';
import { derivePerProperty, type PropertyConfiguration } from '../../storage/property-configuration.ts';
import { compileRuleRegex } from './rule-regex.ts';

export type Context = Record<string, unknown>;

/** Finds the visitor and user of a session; synchronous if they are in memory. */
export type FindIdentity = (
  propertyId: string,
  sessionId: string,
) => SessionIdentity | undefined | Promise<SessionIdentity | undefined>;

/** The flags of a property, compiled per environment, once per saved change. */
const flagSets = derivePerProperty((property): ReadonlyMap<string, FlagSet> => {
  const sets = property.environments.map(({ id }) => [id, compileFor(property, id)] as const);
  return new Map(sets);
});

function compileFor(property: PropertyConfiguration, environmentId: string): FlagSet {
  const definitions = property.flags.map(({ key, type, defaultValue, version, configurations }) => {
    const configuration = configurations.find((candidate) => candidate.environmentId === environmentId);
    return { key, type, defaultValue, version, ...(configuration && { configuration }) };
  });
  return compileFlags(definitions, property.segments, { regex: compileRuleRegex });
}

export function flagsIn(property: PropertyConfiguration, environmentId: string): FlagSet {
  const flags = flagSets(property).get(environmentId);
  if (flags === undefined) throw new ApiError('environment_not_found');
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

/** Cached `"key":{…}`: the evaluator returns the same object for the same result. */
const fragments = new WeakMap<Evaluation, string>();

function fragment(key: string, evaluation: Evaluation): string {
  let text = fragments.get(evaluation);
  if (text === undefined) {
    text = `${JSON.stringify(key)}:${JSON.stringify(evaluation)}`;
    fragments.set(evaluation, text);
  }
  return text;
}

/** The response body of an evaluation, built from cached fragments. */
export function evaluationsJson(
  flags: FlagSet,
  context: Context,
  only: readonly string[] | undefined,
): string {
  let json = '{"flags":{';
  let separator = '';
  const add = (key: string, evaluation: Evaluation) => {
    json += separator + fragment(key, evaluation);
    separator = ',';
  };
  if (only === undefined) flags.evaluateEach(context, add);
  else {
    for (const key of new Set(only)) {
      const evaluation = flags.evaluate(key, context);
      if (evaluation !== undefined) add(key, evaluation);
    }
  }
  return `${json}}}`;
}
