import type {
  ProvisionedEnvironment,
  ProvisionedFeedbackType,
  ProvisionedGoal,
  ProvisionedProperty,
  ProvisionFile,
} from '@switchyard/core/api/provisioning';
import { DEFAULT_STATISTICS } from '@switchyard/core/api/statistics';
import type { Segment } from '@switchyard/core/api/targeting';
import type {
  FlagSettings,
  PropertySettings,
  SplitTestSettings,
} from '../../storage/configuration-settings.ts';
import {
  type ApiKey,
  type Environment,
  type FeedbackType,
  type Goal,
  PRODUCTION,
  type PropertyConfiguration,
} from '../../storage/property-configuration.ts';
import type { ProvisionMistake, Report } from './provision-mistake.ts';
import type { ProvisionStores } from './provision-stores.ts';
import { resolveFlags } from './resolve-flags.ts';
import { KeyResolver, type ResolvedKey } from './resolve-keys.ts';
import { resolveSplitTests } from './resolve-split-tests.ts';

/** What is stored now, as far as the file is concerned. */
export interface ProvisionState {
  properties: ReadonlyMap<string, PropertyConfiguration>;
  /** Keys of every property, because no text may be used twice. */
  keys: readonly ApiKey[];
}

/** What the file asks for, completed from what is stored and from defaults; only what the file names. */
export interface ResolvedProperty {
  id: string;
  stored?: PropertyConfiguration;
  settings: PropertySettings;
  environments: Environment[];
  goals: Goal[];
  feedbackTypes: FeedbackType[];
  segments: Segment[];
  splitTests: SplitTestSettings[];
  flags: FlagSettings[];
  keys: ResolvedKey[];
}

export interface ResolvedFile {
  properties: ResolvedProperty[];
  /** The properties are only fit for use when this is empty. */
  mistakes: ProvisionMistake[];
}

export function resolveFile(
  file: ProvisionFile,
  state: ProvisionState,
  stores: ProvisionStores,
  now: number,
): ResolvedFile {
  const mistakes: ProvisionMistake[] = [];
  const report: Report = (path, message) => mistakes.push({ path, message });
  const keys = new KeyResolver(state.keys, stores);
  reportRepeated(file.properties, 'id', '/properties', report);
  const properties = file.properties.map((entry, index) => {
    const path = `/properties/${index}`;
    return resolveProperty(entry, state.properties.get(entry.id), path, { keys, report, stores, now });
  });
  return { properties, mistakes };
}

interface Tools {
  keys: KeyResolver;
  report: Report;
  stores: ProvisionStores;
  now: number;
}

function resolveProperty(
  entry: ProvisionedProperty,
  stored: PropertyConfiguration | undefined,
  path: string,
  { keys, report, stores, now }: Tools,
): ResolvedProperty {
  reportRepeatedEntries(entry, path, report);
  reportOrigins(entry.allowedOrigins ?? [], `${path}/allowedOrigins`, report);
  const goalIds = idsOf(entry.goals, stored?.goals);
  const environmentIds = idsOf(entry.environments, stored?.environments).add(PRODUCTION.id);
  return {
    id: entry.id,
    stored,
    settings: resolveSettings(entry, stored),
    environments: (entry.environments ?? []).map((environment) => resolveEnvironment(environment, stored)),
    goals: (entry.goals ?? []).map((goal, index) =>
      resolveGoal(goal, stored, `${path}/goals/${index}`, report),
    ),
    feedbackTypes: (entry.feedbackTypes ?? []).map((type) => resolveFeedbackType(type, stored)),
    segments: (entry.segments ?? []).map((segment) => {
      return { ...stored?.segments.find((known) => known.id === segment.id), ...segment };
    }),
    splitTests: resolveSplitTests(entry.splitTests ?? [], stored?.splitTests ?? [], {
      goalIds,
      path,
      now,
      report,
    }),
    flags: resolveFlags(entry, stored, { environmentIds, path, report, regex: stores.compileRuleRegex }),
    keys: keys.resolve(entry.id, entry.apiKeys ?? [], `${path}/apiKeys`, report),
  };
}

function resolveSettings(
  entry: ProvisionedProperty,
  stored: PropertyConfiguration | undefined,
): PropertySettings {
  const { retentionDays = stored?.retentionDays ?? null, allowedOrigins = stored?.allowedOrigins ?? null } =
    entry;
  return {
    name: entry.name ?? stored?.name ?? entry.id,
    retentionDays,
    allowedOrigins,
    hashSeed: entry.hashSeed ?? stored?.hashSeed,
    holdout: entry.holdout ?? stored?.holdout ?? 0,
    ...(entry.statistics && {
      statistics: { ...(stored?.statistics ?? DEFAULT_STATISTICS), ...entry.statistics },
    }),
  };
}

function resolveEnvironment(
  entry: ProvisionedEnvironment,
  stored: PropertyConfiguration | undefined,
): Environment {
  const known = stored?.environments.find((environment) => environment.id === entry.id);
  const fallback = entry.id === PRODUCTION.id ? PRODUCTION.name : entry.id;
  return { id: entry.id, name: entry.name ?? known?.name ?? fallback };
}

function resolveGoal(
  entry: ProvisionedGoal,
  stored: PropertyConfiguration | undefined,
  path: string,
  report: Report,
): Goal {
  const known = stored?.goals.find((goal) => goal.id === entry.id);
  const kind = entry.kind ?? known?.kind;
  if (kind === undefined) report(`${path}/kind`, 'is missing: a new goal needs a kind, count or revenue');
  if (known !== undefined && kind !== known.kind) {
    report(`${path}/kind`, `is "${known.kind}" since the goal was created and cannot change; use another id`);
  }
  return {
    id: entry.id,
    name: entry.name ?? known?.name ?? entry.id,
    kind: kind ?? 'count',
    lowerIsBetter: entry.lowerIsBetter ?? known?.lowerIsBetter ?? false,
  };
}

function resolveFeedbackType(
  entry: ProvisionedFeedbackType,
  stored: PropertyConfiguration | undefined,
): FeedbackType {
  const known = stored?.feedbackTypes.find((type) => type.id === entry.id);
  return {
    id: entry.id,
    name: entry.name ?? known?.name ?? entry.id,
    options: entry.options ?? known?.options ?? [],
    textInput: entry.textInput ?? known?.textInput ?? false,
  };
}

function idsOf(...lists: (readonly { id: string }[] | undefined)[]): Set<string> {
  return new Set(lists.flatMap((list) => list ?? []).map((item) => item.id));
}

// Flags and segments are missing here because `checkFlags` finds theirs.
function reportRepeatedEntries(entry: ProvisionedProperty, path: string, report: Report): void {
  reportRepeated(entry.environments, 'id', `${path}/environments`, report);
  reportRepeated(entry.goals, 'id', `${path}/goals`, report);
  reportRepeated(entry.feedbackTypes, 'id', `${path}/feedbackTypes`, report);
  reportRepeated(entry.splitTests, 'key', `${path}/splitTests`, report);
}

function reportRepeated<Field extends string>(
  entries: readonly Readonly<Record<Field, string>>[] | undefined,
  field: Field,
  path: string,
  report: Report,
): void {
  const seen = new Set<string>();
  for (const [index, entry] of (entries ?? []).entries()) {
    const value = entry[field];
    if (seen.has(value)) report(`${path}/${index}/${field}`, `"${value}" stands in this list already`);
    seen.add(value);
  }
}

function reportOrigins(origins: readonly string[], path: string, report: Report): void {
  for (const [index, origin] of origins.entries()) {
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    // The origin of other schemes (an app's own) is opaque to URL, so only its shape can be checked.
    const valid =
      url?.origin === 'null' ? /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s*]+$/.test(origin) : url?.origin === origin;
    if (!valid)
      report(`${path}/${index}`, 'must be an origin like https://shop.example, without a path or a slash');
  }
}
