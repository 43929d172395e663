import type { ProvisionedFlag } from '@switchyard/core/api/provisioning';
import type { FlagConfiguration, FlagType, FlagValue, Segment } from '@switchyard/core/api/targeting';
import { type CheckableFlag, checkFlags } from '@switchyard/core/evaluation/flag-checks';
import { parsePointer } from '@switchyard/core/merge/json-pointer';
import { newId } from '../../configuration/database/database.ts';
import type { ItemRuleContext } from '../../configuration/definitions/collection-definition.ts';
import { knownOutcomes } from '../../configuration/definitions/outcome-checks.ts';
import type { Report, RuleContext } from '../../configuration/definitions/rule-context.ts';
import type {
  Environment,
  EnvironmentFlagConfiguration,
  Flag,
  PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import { compileRuleRegex } from '../../platform/rule-regex.ts';
import { schemaComplaint } from '../../platform/schema-complaint.ts';
import { reportLostMeasureOptions, reportMeasures } from './measure-rules.ts';
import { type FlagEntry, resolveRollouts } from './rollout-rules.ts';

interface Context extends Pick<RuleContext, 'mode' | 'now' | 'report'> {
  /** All environments of the resulting property, in their order. */
  environments: readonly Environment[];
}

/** The flags of the candidate, complete; checked together with its segments. */
export function resolveFlags(
  entries: readonly ProvisionedFlag[],
  stored: readonly Flag[],
  context: ItemRuleContext,
): Flag[] {
  const flagContext = { ...context, environments: context.items('environment') };
  const outcomes = knownOutcomes(
    context.items('goal'),
    context.items('metric'),
    context.items('feedback-type'),
  );
  const flags = entries.map((entry, index) => {
    const place = `/flags/${index}`;
    const known = stored.find((candidate) => candidate.key === entry.key);
    reportMeasures(entry, known, place, outcomes, context.report);
    return resolveFlag(resolveRollouts(entry, known, place, context), known, place, flagContext);
  });
  reportLostMeasureOptions(context.resolved('feedback-type'), entries, stored, context.report);
  const resolved = { flags, segments: context.resolved('segment') };
  reportTargeting(entries, resolved, context.stored, context.report);
  return flags;
}

function resolveFlag(entry: FlagEntry, known: Flag | undefined, path: string, context: Context): Flag {
  const { mode, now, report } = context;
  const base = mode === 'merge' ? known : undefined;
  const type = entry.type ?? known?.type;
  const defaultValue = entry.defaultValue ?? base?.defaultValue;
  if (type === undefined) report(`${path}/type`, 'is missing: a new flag needs a type, boolean or string');
  if (defaultValue === undefined)
    report(`${path}/defaultValue`, 'is missing: a new flag needs a default value');
  if (known !== undefined && type !== known.type) {
    report(`${path}/type`, `cannot change from "${known.type}"; create a flag with another key instead`);
  }
  const description = entry.description ?? base?.description;
  const { owner = base?.owner ?? null, format = base?.format, schema = base?.schema } = entry;
  return {
    id: known?.id ?? newId('flg'),
    key: entry.key,
    name: entry.name ?? base?.name ?? entry.key,
    ...(description === undefined ? {} : { description }),
    tags: entry.tags ?? base?.tags ?? [],
    owner,
    // A refused change of the type must not make all values wrong.
    type: known?.type ?? type ?? 'boolean',
    ...(format && { format }),
    ...(schema && { schema }),
    defaultValue: defaultValue ?? zeroValue(type ?? 'boolean'),
    createdAt: known?.createdAt ?? now,
    version: known?.version ?? 0,
    configurations: resolveConfigurations(entry, known, `${path}/environments`, context),
  };
}

/** In the order of the environments. Those that are missing in the candidate stay when merging. */
function resolveConfigurations(
  entry: FlagEntry,
  known: Flag | undefined,
  path: string,
  { environments, mode, report }: Context,
): EnvironmentFlagConfiguration[] {
  const given = new Map(Object.entries(entry.environments ?? {}));
  for (const id of given.keys()) {
    if (environments.some((environment) => environment.id === id)) continue;
    report(`${path}/${id}`, `"${id}" is not an environment of this property`);
  }
  const fallback = entry.defaultValue ?? known?.defaultValue ?? false;
  return environments.flatMap(({ id: environmentId }) => {
    const before = known?.configurations.find((each) => each.environmentId === environmentId);
    const configuration = given.get(environmentId);
    if (configuration === undefined) return mode === 'merge' && before !== undefined ? [before] : [];
    return [
      {
        id: before?.id ?? newId('cfg'),
        environmentId,
        ...resolveConfiguration(configuration, mode === 'merge' ? before : undefined, fallback),
        ...(before?.measured && { measured: before.measured }),
      },
    ];
  });
}

function resolveConfiguration(
  entry: Partial<FlagConfiguration>,
  base: FlagConfiguration | undefined,
  defaultValue: FlagValue,
): FlagConfiguration {
  return {
    enabled: entry.enabled ?? base?.enabled ?? false,
    value: entry.value ?? base?.value ?? defaultValue,
    rules: entry.rules ?? base?.rules ?? [],
    prerequisites: entry.prerequisites ?? base?.prerequisites ?? [],
  };
}

/**
 * Checks the resulting flags and segments together: those of the candidate first, so that their indices match. Stored
 * ones were checked when they were saved; what they require cannot disappear here, but they can become part of a cycle.
 */
function reportTargeting(
  entries: readonly ProvisionedFlag[],
  resolved: { flags: readonly Flag[]; segments: readonly Segment[] },
  stored: PropertyConfiguration | undefined,
  report: Report,
): void {
  if (resolved.flags.length === 0 && resolved.segments.length === 0) return;
  const keys = new Set(resolved.flags.map(({ key }) => key));
  const ids = new Set(resolved.segments.map(({ id }) => id));
  const others = {
    flags: stored?.flags.filter(({ key }) => !keys.has(key)) ?? [],
    segments: stored?.segments.filter(({ id }) => !ids.has(id)) ?? [],
  };
  const flags = resolved.flags.map((flag, index) => {
    return checkable(flag, flag.version === 0 ? entries[index] : undefined);
  });
  const known = { flags: others.flags.map(storedCheckable), segments: others.segments };
  const candidate = { flags, segments: resolved.segments };
  for (const mistake of checkFlags(candidate, { regex: compileRuleRegex, schemaComplaint, known })) {
    const [list, index = ''] = parsePointer(mistake.path);
    const position = Number(index) - (list === 'flags' ? resolved.flags : resolved.segments).length;
    if (position < 0) {
      report(mistake.path, mistake.message);
    } else {
      const broken =
        list === 'flags'
          ? `flag "${others.flags[position]?.key}"`
          : `segment "${others.segments[position]?.id}"`;
      report('', `would break the stored ${broken}: ${mistake.message}`);
    }
  }
}

/** Stored flags never change, and every change of another flag looks at all of them. */
const checkables = new WeakMap<Flag, CheckableFlag>();

function storedCheckable(flag: Flag): CheckableFlag {
  const known = checkables.get(flag) ?? checkable(flag, undefined);
  checkables.set(flag, known);
  return known;
}

/** Of a new flag, only what is given is checked: a missing type was reported, and missing values are its default. */
function checkable(flag: Flag, entry: ProvisionedFlag | undefined): CheckableFlag {
  const { key, type, format, schema, defaultValue, configurations } = flag;
  if (entry !== undefined && entry.type === undefined) {
    return { key, type: 'boolean', defaultValue: false, environments: {} };
  }
  const environments = configurations.map(({ environmentId, value, rules, prerequisites }) => {
    const isDefault = entry !== undefined && entry.environments?.[environmentId]?.value === undefined;
    return [environmentId, { ...(!isDefault && { value }), rules, prerequisites }] as const;
  });
  return { key, type, format, schema, defaultValue, environments: Object.fromEntries(environments) };
}

function zeroValue(type: FlagType): FlagValue {
  return type === 'boolean' ? false : '';
}
