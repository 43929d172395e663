import type { FlagConfiguration, FlagType, FlagValue, Segment } from '../api/targeting.ts';
import { type ConditionRules, checkConditions, type Mistake } from './condition-checks.ts';
import { orderDependencies } from './dependencies.ts';
import type { RegexCompiler } from './operators.ts';
import { orderSegments } from './segments.ts';

/** A flag with its configurations in all environments. */
export interface CheckableFlag {
  readonly key: string;
  readonly type: FlagType;
  readonly defaultValue: FlagValue;
  readonly environments: Readonly<Record<string, Partial<FlagConfiguration>>>;
}

interface FlagRules extends ConditionRules {
  readonly flags: ReadonlyMap<string, CheckableFlag>;
}

export interface CheckableTargeting {
  readonly flags: readonly CheckableFlag[];
  readonly segments: readonly Segment[];
}

interface CheckOptions {
  readonly regex: RegexCompiler;
  /**
   * What the input is added to: valid on its own, and without the keys and ids of the input. Only its nesting is
   * checked, and its mistakes have the positions after those of the input.
   */
  readonly known?: CheckableTargeting;
}

/**
 * Checks flags and segments that are already valid by schema (see `api/targeting.ts`). Returns all mistakes at once,
 * each with its JSON pointer.
 *
 * @example checkFlags({ flags, segments }, { regex }) // [{ path: '/flags/0/defaultValue', message: 'must be a boolean' }]
 */
export function checkFlags(input: CheckableTargeting, { regex, known }: CheckOptions): Mistake[] {
  const allFlags = [...input.flags, ...(known?.flags ?? [])];
  const allSegments = [...input.segments, ...(known?.segments ?? [])];
  const ids = new Set(allSegments.map((segment) => segment.id));
  const flags = new Map(allFlags.toReversed().map((flag) => [flag.key, flag]));
  const rules: FlagRules = { regex, isSegment: (id) => ids.has(id), flags };
  return [
    ...checkUnique(input.flags, 'key', '/flags', 'flag'),
    ...input.flags.flatMap((flag, index) => checkFlag(flag, `/flags/${index}`, rules)),
    ...checkPrerequisiteNesting(allFlags),
    ...checkUnique(input.segments, 'id', '/segments', 'segment'),
    ...checkSegments(allSegments, input.segments.length, rules),
  ];
}

function checkFlag(flag: CheckableFlag, path: string, rules: FlagRules): Mistake[] {
  const mistakes = checkType(flag.defaultValue, flag.type, `${path}/defaultValue`);
  for (const [environment, configuration] of Object.entries(flag.environments)) {
    const itemPath = `${path}/environments/${escapePointer(environment)}`;
    mistakes.push(...checkConfiguration(flag.type, configuration, itemPath, rules));
  }
  return mistakes;
}

function checkConfiguration(
  type: FlagType,
  configuration: Partial<FlagConfiguration>,
  path: string,
  rules: FlagRules,
): Mistake[] {
  const { value, rules: flagRules = [], prerequisites = [] } = configuration;
  const mistakes = value === undefined ? [] : checkType(value, type, `${path}/value`);
  mistakes.push(...checkUnique(flagRules, 'id', `${path}/rules`, 'rule'));
  for (const [index, rule] of flagRules.entries()) {
    const itemPath = `${path}/rules/${index}`;
    mistakes.push(...checkConditions(rule.conditions ?? [], `${itemPath}/conditions`, rules));
    mistakes.push(...checkType(rule.value, type, `${itemPath}/value`));
  }
  for (const [index, prerequisite] of prerequisites.entries()) {
    const itemPath = `${path}/prerequisites/${index}`;
    const target = rules.flags.get(prerequisite.flag);
    if (target) mistakes.push(...checkType(prerequisite.value, target.type, `${itemPath}/value`));
    else
      mistakes.push({
        path: `${itemPath}/flag`,
        message: `unknown flag ${JSON.stringify(prerequisite.flag)}`,
      });
  }
  return mistakes;
}

/** Prerequisites are evaluated within one environment, so cycles are too. */
function checkPrerequisiteNesting(flags: readonly CheckableFlag[]): Mistake[] {
  const environments = new Set(flags.flatMap((flag) => Object.keys(flag.environments)));
  return [...environments].flatMap((environment) => {
    const edges = new Map(
      flags.toReversed().map(({ key, environments: all }) => {
        const configuration = Object.hasOwn(all, environment) ? all[environment] : undefined;
        return [key, configuration?.prerequisites?.map(({ flag }) => flag) ?? []];
      }),
    );
    const { unresolvable } = orderDependencies(edges);
    return flags.flatMap(({ key }, index) => {
      const message = unresolvable.get(key);
      const path = `/flags/${index}/environments/${escapePointer(environment)}/prerequisites`;
      return message ? [{ path, message: `flag ${JSON.stringify(key)} ${message}` }] : [];
    });
  });
}

/** Checks the conditions of the first segments, and the nesting of all. */
function checkSegments(segments: readonly Segment[], count: number, rules: ConditionRules): Mistake[] {
  const { unresolvable } = orderSegments(segments);
  return segments.flatMap(({ id, conditions }, index) => {
    const path = `/segments/${index}/conditions`;
    const message = unresolvable.get(id);
    const nesting = message ? [{ path, message: `segment ${JSON.stringify(id)} ${message}` }] : [];
    return index < count ? [...checkConditions(conditions, path, rules), ...nesting] : nesting;
  });
}

/** Flag types are named after the results of `typeof`. */
function checkType(value: FlagValue, type: FlagType, path: string): Mistake[] {
  return typeof value === type ? [] : [{ path, message: `must be a ${type}` }];
}

function checkUnique<Name extends string>(
  items: readonly Readonly<Record<Name, string>>[],
  name: Name,
  path: string,
  noun: string,
): Mistake[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const isDuplicate = seen.has(item[name]);
    seen.add(item[name]);
    const message = `duplicate ${noun} ${JSON.stringify(item[name])}`;
    return isDuplicate ? [{ path: `${path}/${index}/${name}`, message }] : [];
  });
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
