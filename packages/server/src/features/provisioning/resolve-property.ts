import type {
  ProvisionedEnvironment,
  ProvisionedGoal,
  ProvisionedProperty,
  ProvisionFile,
} from '@switchyard/core/api/provisioning';
import { DEFAULT_STATISTICS } from '@switchyard/core/api/statistics';
import type { Segment } from '@switchyard/core/api/targeting';
import { AA_TEST_KEY } from '@switchyard/core/lifecycle/aa-test';
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
import { resolveFeedbackType } from './resolve-feedback-type.ts';
import { resolveFlags } from './resolve-flags.ts';
import { KeyResolver, type ResolvedKey } from './resolve-keys.ts';
import { reportLostOptions } from './resolve-outcomes.ts';
import { resolveSplitTests } from './resolve-split-tests.ts';

/** The stored configuration of the properties in the file. */
export interface ProvisionState {
  properties: ReadonlyMap<string, PropertyConfiguration>;
  /** Keys of all properties, because every key must be unique. */
  keys: readonly ApiKey[];
}

/** The entries of the file, completed with stored values and defaults. */
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
  /** The properties are only valid if this is empty. */
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

interface Context {
  keys: KeyResolver;
  report: Report;
  stores: ProvisionStores;
  now: number;
}

function resolveProperty(
  entry: ProvisionedProperty,
  stored: PropertyConfiguration | undefined,
  path: string,
  { keys, report, stores, now }: Context,
): ResolvedProperty {
  reportRepeatedEntries(entry, path, report);
  reportOrigins(entry.allowedOrigins ?? [], `${path}/allowedOrigins`, report);
  reportLostOptions(entry, stored?.splitTests ?? [], path, report);
  const feedbackTypes = (entry.feedbackTypes ?? []).map((type, index) => {
    const known = stored?.feedbackTypes.find(({ id }) => id === type.id);
    return resolveFeedbackType(type, known, `${path}/feedbackTypes/${index}`, report);
  });
  reportAaTest(entry, stored, path, report);
  const environmentIds = idsOf(entry.environments, stored?.environments).add(PRODUCTION.id);
  return {
    id: entry.id,
    stored,
    settings: resolveSettings(entry, stored),
    environments: (entry.environments ?? []).map((environment) => resolveEnvironment(environment, stored)),
    goals: (entry.goals ?? []).map((goal, index) =>
      resolveGoal(goal, stored, `${path}/goals/${index}`, report),
    ),
    feedbackTypes,
    segments: (entry.segments ?? []).map((segment) => {
      return { ...stored?.segments.find((known) => known.id === segment.id), ...segment };
    }),
    splitTests: resolveSplitTests(entry.splitTests ?? [], stored?.splitTests ?? [], {
      goalIds: idsOf(entry.goals, stored?.goals),
      feedbackTypes: new Map(
        [...(stored?.feedbackTypes ?? []), ...feedbackTypes].map((type) => [type.id, type]),
      ),
      path,
      now,
      report,
    }),
    flags: resolveFlags(entry, stored, { environmentIds, path, now, report, regex: stores.compileRuleRegex }),
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
    ...(entry.aaTest && { aaTest: entry.aaTest }),
    ...(entry.displayCurrency && { displayCurrency: entry.displayCurrency }),
  };
}

function resolveEnvironment(
  entry: ProvisionedEnvironment,
  stored: PropertyConfiguration | undefined,
): Environment {
  const known = stored?.environments.find((environment) => environment.id === entry.id);
  const fallback = entry.id === PRODUCTION.id ? PRODUCTION.name : entry.id;
  return {
    id: entry.id,
    name: entry.name ?? known?.name ?? fallback,
    protected: entry.protected ?? known?.protected ?? false,
  };
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
    report(`${path}/kind`, `cannot change from "${known.kind}"; create a goal with another id instead`);
  }
  const { target = known?.target ?? null } = entry;
  return {
    id: entry.id,
    name: entry.name ?? known?.name ?? entry.id,
    kind: kind ?? 'count',
    lowerIsBetter: entry.lowerIsBetter ?? known?.lowerIsBetter ?? false,
    target,
  };
}

function idsOf(...lists: (readonly { id: string }[] | undefined)[]): Set<string> {
  return new Set(lists.flatMap((list) => list ?? []).map((item) => item.id));
}

// `checkFlags` reports repeated flags and segments.
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
    if (seen.has(value)) report(`${path}/${index}/${field}`, `"${value}" is already in this list`);
    seen.add(value);
  }
}

/** The built-in test and one of the property cannot have the same key. */
function reportAaTest(
  entry: ProvisionedProperty,
  stored: PropertyConfiguration | undefined,
  path: string,
  report: Report,
): void {
  if ((entry.aaTest ?? stored?.aaTest) !== 'exposures') return;
  const index = entry.splitTests?.findIndex(({ key }) => key === AA_TEST_KEY) ?? -1;
  if (index >= 0) {
    report(
      `${path}/splitTests/${index}/key`,
      `"${AA_TEST_KEY}" is the key of the built-in A/A test; use another key, or set aaTest to assignment or off`,
    );
  } else if (stored?.splitTests.some(({ key }) => key === AA_TEST_KEY)) {
    report(
      `${path}/aaTest`,
      `cannot be exposures: the property has a split test of its own with the key "${AA_TEST_KEY}"`,
    );
  }
}

function reportOrigins(origins: readonly string[], path: string, report: Report): void {
  for (const [index, origin] of origins.entries()) {
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    // URL cannot parse the origin of custom schemes (such as an app's), so only its format is checked.
    const valid =
      url?.origin === 'null' ? /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s*]+$/.test(origin) : url?.origin === origin;
    if (!valid)
      report(
        `${path}/${index}`,
        'must be an origin like https://shop.example, without a path or a trailing slash',
      );
  }
}
