import type { ProvisionedProperty } from '@switchyard/core/api/provisioning';
import type { FlagConfiguration, FlagType, FlagValue, Segment } from '@switchyard/core/api/targeting';
import { type CheckableFlag, checkFlags } from '@switchyard/core/evaluation/flag-checks';
import type { FlagSettings } from '../../storage/configuration-settings.ts';
import type { Flag, PropertyConfiguration } from '../../storage/property-configuration.ts';
import { parsePointer, type Report } from './provision-mistake.ts';
import { type FlagEntry, resolveRollouts } from './resolve-rollouts.ts';

interface Context {
  /** Environments in the file or in the database. */
  environmentIds: ReadonlySet<string>;
  /** Path of the property. */
  path: string;
  now: number;
  report: Report;
  regex: (pattern: string, caseInsensitive: boolean) => (text: string) => boolean;
}

export function resolveFlags(
  entry: ProvisionedProperty,
  stored: PropertyConfiguration | undefined,
  context: Context,
): FlagSettings[] {
  const entries = (entry.flags ?? []).map((flag, index) =>
    resolveRollouts(flag, `${context.path}/flags/${index}`, context),
  );
  const flags = entries.map((flag, index) => {
    const known = stored?.flags.find((candidate) => candidate.key === flag.key);
    return resolveFlag(flag, known, `${context.path}/flags/${index}`, context);
  });
  reportFlagMistakes(entries, entry.segments ?? [], stored, context);
  return flags;
}

function resolveFlag(
  entry: FlagEntry,
  known: Flag | undefined,
  path: string,
  { environmentIds, report }: Context,
): FlagSettings {
  const type = entry.type ?? known?.type;
  const defaultValue = entry.defaultValue ?? known?.defaultValue;
  if (type === undefined) report(`${path}/type`, 'is missing: a new flag needs a type, boolean or string');
  if (defaultValue === undefined)
    report(`${path}/defaultValue`, 'is missing: a new flag needs a default value');
  if (known !== undefined && type !== known.type) {
    report(`${path}/type`, `cannot change from "${known.type}"; create a flag with another key instead`);
  }
  const configurations = Object.entries(entry.environments ?? {}).map(([environmentId, configuration]) => {
    if (!environmentIds.has(environmentId)) {
      report(
        `${path}/environments/${environmentId}`,
        `"${environmentId}" is not an environment of this property`,
      );
    }
    const before = known?.configurations.find((each) => each.environmentId === environmentId);
    return [environmentId, resolveConfiguration(configuration, before, defaultValue ?? false)] as const;
  });
  const description = entry.description ?? known?.description;
  const { owner = known?.owner ?? null } = entry;
  return {
    key: entry.key,
    name: entry.name ?? known?.name ?? entry.key,
    ...(description === undefined ? {} : { description }),
    tags: entry.tags ?? known?.tags ?? [],
    owner,
    type: type ?? 'boolean',
    defaultValue: defaultValue ?? false,
    configurations: Object.fromEntries(configurations),
  };
}

function resolveConfiguration(
  entry: Partial<FlagConfiguration>,
  known: FlagConfiguration | undefined,
  defaultValue: FlagValue,
): FlagConfiguration {
  return {
    enabled: entry.enabled ?? known?.enabled ?? false,
    value: entry.value ?? known?.value ?? defaultValue,
    rules: entry.rules ?? known?.rules ?? [],
    prerequisites: entry.prerequisites ?? known?.prerequisites ?? [],
  };
}

/** By environment id. */
export function configurationsOf(flag: Flag): Record<string, FlagConfiguration> {
  const entries = flag.configurations.map(({ environmentId, enabled, value, rules, prerequisites }) => {
    return [environmentId, { enabled, value, rules, prerequisites }] as const;
  });
  return Object.fromEntries(entries);
}

/** Checks the resulting property: the entries of the file first, so that their indices match, then the stored ones. */
function reportFlagMistakes(
  entries: readonly FlagEntry[],
  segmentEntries: readonly Segment[],
  stored: PropertyConfiguration | undefined,
  { path, report, regex }: Context,
): void {
  const storedFlags = new Map(stored?.flags.map((flag) => [flag.key, flag]));
  const storedSegments = new Map(stored?.segments.map((segment) => [segment.id, segment]));
  const flags = entries.map((flag) => checkable(flag, storedFlags.get(flag.key)));
  const segments = [...segmentEntries];
  const inFile = { flags: flags.length, segments: segments.length };
  for (const { key } of flags) storedFlags.delete(key);
  for (const { id } of segments) storedSegments.delete(id);
  flags.push(...[...storedFlags.values()].map((flag) => checkable({ key: flag.key }, flag)));
  segments.push(...storedSegments.values());

  for (const mistake of checkFlags({ flags, segments }, { regex })) {
    const [list, index = ''] = parsePointer(mistake.path);
    const position = Number(index);
    if (position < (list === 'flags' ? inFile.flags : inFile.segments)) {
      report(path + mistake.path, mistake.message);
    } else {
      const broken =
        list === 'flags' ? `flag "${flags[position]?.key}"` : `segment "${segments[position]?.id}"`;
      report(path, `would break the stored ${broken}: ${mistake.message}`);
    }
  }
}

/** A missing type or default is replaced here, because `resolveFlag` has already reported it. */
function checkable(entry: FlagEntry, known: Flag | undefined): CheckableFlag {
  const defaultValue = entry.defaultValue ?? known?.defaultValue;
  const type = known?.type ?? entry.type;
  if (type === undefined) return { key: entry.key, type: 'boolean', defaultValue: false, environments: {} };
  const environments: Record<string, Partial<FlagConfiguration>> = Object.create(null);
  for (const { environmentId, value, rules, prerequisites } of known?.configurations ?? []) {
    environments[environmentId] = { value, rules, prerequisites };
  }
  for (const [environmentId, configuration] of Object.entries(entry.environments ?? {})) {
    environments[environmentId] = { ...environments[environmentId], ...configuration };
  }
  return { key: entry.key, type, defaultValue: defaultValue ?? zeroValue(type), environments };
}

function zeroValue(type: FlagType): FlagValue {
  return type === 'boolean' ? false : '';
}
