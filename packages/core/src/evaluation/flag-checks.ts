import type {
  FlagConfiguration,
  FlagFormat,
  FlagType,
  FlagValue,
  JsonSchema,
  Rule,
  Segment,
  SplitEntry,
} from '../api/targeting.ts';
import { type ConditionRules, checkConditions, type Mistake } from './condition-checks.ts';
import { orderDependencies } from './dependencies.ts';
import { type JsonValue, parseFlagValue } from './flag-format.ts';
import { checkSchema } from './flag-schema.ts';
import { isGuarded } from './measured-rules.ts';
import { UNITS } from './once-per-pass.ts';
import type { RegexCompiler } from './operators.ts';
import { orderSegments } from './segments.ts';
import { variantOf } from './split.ts';

/** What the values of a flag must be. */
interface ValueRules {
  readonly type: FlagType;
  readonly format?: FlagFormat | undefined;
  /** Only together with a format. */
  readonly schema?: JsonSchema | undefined;
}

/** A flag with its configurations in all environments. */
export interface CheckableFlag extends ValueRules {
  readonly key: string;
  readonly defaultValue: FlagValue;
  readonly environments: Readonly<Record<string, Partial<FlagConfiguration>>>;
}

interface FlagRules extends ConditionRules, Pick<CheckOptions, 'schemaComplaint'> {
  readonly flags: ReadonlyMap<string, CheckableFlag>;
}

export interface CheckableTargeting {
  readonly flags: readonly CheckableFlag[];
  readonly segments: readonly Segment[];
}

/** Why a value does not fit a schema that `checkSchema` accepts; undefined if it does. */
type SchemaComplaint = (schema: JsonSchema, value: JsonValue) => string | undefined;

interface CheckOptions {
  readonly regex: RegexCompiler;
  readonly schemaComplaint: SchemaComplaint;
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
 * @example checkFlags({ flags, segments }, { regex, schemaComplaint }) // [{ path: '/flags/0/defaultValue', message: 'must be a boolean' }]
 */
export function checkFlags(
  input: CheckableTargeting,
  { regex, schemaComplaint, known }: CheckOptions,
): Mistake[] {
  const allFlags = [...input.flags, ...(known?.flags ?? [])];
  const allSegments = [...input.segments, ...(known?.segments ?? [])];
  const ids = new Set(allSegments.map((segment) => segment.id));
  const flags = new Map(allFlags.toReversed().map((flag) => [flag.key, flag]));
  const rules: FlagRules = { regex, schemaComplaint, isSegment: (id) => ids.has(id), flags };
  return [
    ...checkUnique(input.flags, 'key', '/flags', 'flag'),
    ...input.flags.flatMap((flag, index) => checkFlag(flag, `/flags/${index}`, rules)),
    ...checkPrerequisiteNesting(allFlags),
    ...checkUnique(input.segments, 'id', '/segments', 'segment'),
    ...checkSegments(allSegments, input.segments.length, rules),
  ];
}

/** How values are checked. Those of prerequisites are compared with values that fit the schema, which is not checked again. */
interface Values extends Pick<ValueRules, 'type' | 'format'> {
  readonly complaintOf?: ((value: JsonValue) => string | undefined) | undefined;
}

function valuesOf({ type, format, schema }: ValueRules, { schemaComplaint }: FlagRules): Values {
  return { type, format, complaintOf: schema && ((value) => schemaComplaint(schema, value)) };
}

function checkFlag(flag: CheckableFlag, path: string, rules: FlagRules): Mistake[] {
  const complaints = checkFormat(flag, path);
  // With a schema that is not valid, nothing can be said of the values.
  const values = complaints.length === 0 ? valuesOf(flag, rules) : { type: flag.type };
  const mistakes = [...complaints, ...checkValue(flag.defaultValue, values, `${path}/defaultValue`)];
  for (const [environment, configuration] of Object.entries(flag.environments)) {
    const itemPath = `${path}/environments/${escapePointer(environment)}`;
    mistakes.push(...checkConfiguration(values, configuration, itemPath, rules));
  }
  return mistakes;
}

/** Checking a value takes time proportional to this. */
const MAX_SCHEMA_LENGTH = 16_384;

function checkFormat({ type, format, schema }: ValueRules, path: string): Mistake[] {
  if (format !== undefined && type !== 'string') {
    return [{ path: `${path}/format`, message: 'is only possible for flags of type string' }];
  }
  if (schema === undefined) return [];
  if (format === undefined)
    return [{ path: `${path}/schema`, message: 'requires the format number or json' }];
  if (JSON.stringify(schema).length > MAX_SCHEMA_LENGTH) {
    const message = `is larger than ${MAX_SCHEMA_LENGTH} characters as JSON`;
    return [{ path: `${path}/schema`, message }];
  }
  return checkSchema(schema, `${path}/schema`);
}

function checkConfiguration(
  values: Values,
  configuration: Partial<FlagConfiguration>,
  path: string,
  rules: FlagRules,
): Mistake[] {
  const { value, rules: flagRules = [], prerequisites = [] } = configuration;
  const mistakes = value === undefined ? [] : checkValue(value, values, `${path}/value`);
  mistakes.push(...checkUnique(flagRules, 'id', `${path}/rules`, 'rule'));
  for (const [index, rule] of flagRules.entries()) {
    const itemPath = `${path}/rules/${index}`;
    mistakes.push(...checkConditions(rule.conditions ?? [], `${itemPath}/conditions`, rules));
    mistakes.push(...checkServed(rule, values, itemPath));
    mistakes.push(...checkMeasure(rule, itemPath), ...checkGuardrails(rule, itemPath));
    mistakes.push(...checkCounted(rule, itemPath));
  }
  for (const [index, prerequisite] of prerequisites.entries()) {
    const itemPath = `${path}/prerequisites/${index}`;
    const target = rules.flags.get(prerequisite.flag);
    if (target) mistakes.push(...checkValue(prerequisite.value, target, `${itemPath}/value`));
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

/** A rule has either a value or a split. */
function checkServed({ value, split }: Rule, values: Values, path: string): Mistake[] {
  if (split === undefined) {
    if (value !== undefined) return checkValue(value, values, `${path}/value`);
    return [{ path: `${path}/value`, message: 'is missing: a rule needs a value or a split' }];
  }
  if (value !== undefined) {
    return [{ path: `${path}/value`, message: 'cannot be combined with a split: the split has the values' }];
  }
  return checkSplit(split, values, `${path}/split`);
}

/** Whether a rollout is below 100 % is checked where its schedule is known. */
function checkMeasure({ measure, rollout, split }: Rule, path: string): Mistake[] {
  if (measure === undefined) return [];
  if (split === undefined) {
    if (rollout !== undefined) return [];
    const message = 'needs a split, or a rollout below 100 %: otherwise there is nothing to compare';
    return [{ path: `${path}/measure`, message }];
  }
  if (split.filter(({ weight }) => weight > 0).length > 1) return [];
  const message = 'needs at least two entries with a weight above 0 in the split';
  return [{ path: `${path}/measure`, message }];
}

/** People of a group have one value, so counting each of them would take chance for an effect. */
function checkCounted({ measure, rollout }: Rule, path: string): Mistake[] {
  const by = rollout?.by;
  if (by === undefined || UNITS.includes(by) || (measure === undefined && !isGuarded(rollout))) return [];
  const message = `must be one of ${UNITS.join(', ')}: people with the same "${by}" have one value, so they cannot be counted one by one`;
  return [{ path: `${path}/rollout/by`, message }];
}

/** Whether there are steps is checked where it is known which have been made. */
function checkGuardrails({ rollout, split }: Rule, path: string): Mistake[] {
  if (rollout === undefined) return [];
  const { percentage, schedule = [], guardrails, minVisitors, maxWaitDays } = rollout;
  if (guardrails === undefined) {
    const message = 'is only possible with guardrails';
    return [
      ...(minVisitors === undefined ? [] : [{ path: `${path}/rollout/minVisitors`, message }]),
      ...(maxWaitDays === undefined ? [] : [{ path: `${path}/rollout/maxWaitDays`, message }]),
    ];
  }
  if (split !== undefined) {
    const message =
      'cannot be combined with a split: they compare those inside of the rollout with those outside';
    return [{ path: `${path}/rollout/guardrails`, message }];
  }
  return schedule.flatMap((step, index) => {
    const before = schedule[index - 1]?.percentage ?? percentage;
    if (step.percentage > before) return [];
    const message = 'must be above the percentage before it: a rollout with guardrails goes forward';
    return [{ path: `${path}/rollout/schedule/${index}/percentage`, message }];
  });
}

function checkSplit(split: readonly SplitEntry[], values: Values, path: string): Mistake[] {
  const mistakes = split.flatMap((entry, index) => {
    return checkValue(entry.value, values, `${path}/${index}/value`);
  });
  if (split.every(({ weight }) => weight === 0)) {
    mistakes.push({ path, message: 'needs an entry with a weight above 0' });
  }
  const variants = split.map((_, index) => variantOf(split, index));
  for (const [index, variant] of variants.entries()) {
    if (variants.indexOf(variant) === index) continue;
    const message = `duplicate variant ${JSON.stringify(variant)}: entries without a key are named by their position, from 0`;
    mistakes.push({ path: `${path}/${index}/key`, message });
  }
  return mistakes;
}

/** Flag types are named after the results of `typeof`. */
function checkValue(value: FlagValue, { type, format, complaintOf }: Values, path: string): Mistake[] {
  if (typeof value !== type) return [{ path, message: `must be a ${type}` }];
  if (!format) return [];
  const parsed = parseFlagValue(value, format);
  if (parsed === undefined) {
    const kind = format === 'number' ? 'a number such as 12.5' : 'JSON';
    return [{ path, message: `must be the text of ${kind}: the format of the flag is ${format}` }];
  }
  const message = complaintOf?.(parsed);
  return message === undefined ? [] : [{ path, message }];
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
