import type { ImpactBody } from '@switchyard/core/api/impact';
import type { Rule, Segment } from '@switchyard/core/api/targeting';
import { reachableFrom } from '@switchyard/core/evaluation/dependencies';
import { segmentsIn } from '@switchyard/core/evaluation/segments';
import { type Targeting, TargetingIndex } from '@switchyard/core/evaluation/used-attributes';
import { definitionInForce, type PhaseDefinition } from '@switchyard/core/lifecycle/phases';
import { type Serving, servingOf } from '@switchyard/core/lifecycle/serving';
import { dependentSegments } from '../../configuration/changes/dependent-segments.ts';
import { definitionIn } from '../../configuration/property/flag-definition.ts';
import type {
  PropertyConfiguration,
  SplitTest,
} from '../../configuration/property/property-configuration.ts';

/** Flags times environments that are replayed; an affected flag beyond that is only counted. */
const MAX_REPLAYED = 200;
const MAX_REPLAYED_TESTS = 50;

/** Everything that the report thread needs to replay sessions through two configurations. */
export interface ImpactScope extends Required<Pick<ImpactBody, 'type' | 'key' | 'days'>> {
  propertyId: string;
  timeZone: string;
  flags?: { keys: string[]; more: number; environments: FlagsInEnvironment[] };
  segment?: BeforeAndAfter<Segment[]>;
  /** The test, or those whose audience uses the segment. */
  splitTests?: { changes: TestChange[]; more: number };
}

/** Undefined where the test does not exist. */
export interface TestChange extends BeforeAndAfter<ReplayedTest | undefined> {
  key: string;
}

interface BeforeAndAfter<T> {
  before: T;
  after: T;
}

/** The definitions that decide about the affected flags. */
interface FlagsInEnvironment extends BeforeAndAfter<Targeting> {
  environment: string;
}

export interface ReplayedTest {
  serving: Serving;
  winner: string | null;
  definition: PhaseDefinition;
}

type Change = BeforeAndAfter<PropertyConfiguration>;

/** Only what the changed item can affect, because it is copied to another thread. */
export function impactScope(
  change: Change,
  { type, key, days }: Pick<ImpactScope, 'type' | 'key' | 'days'>,
): ImpactScope {
  const { id: propertyId, timeZone } = change.before;
  const scope = { type, key, days, propertyId, timeZone };
  const each = <T>(of: (property: PropertyConfiguration) => T) => ({
    before: of(change.before),
    after: of(change.after),
  });
  const testChange = (testKey: string): TestChange => ({
    key: testKey,
    ...each((property) => replayedTest(property, testKey)),
  });
  if (type === 'split-test') return { ...scope, splitTests: { changes: [testChange(key)], more: 0 } };
  const flags = flagsIn(change, affectedFlags(change, type, key));
  if (type === 'flag') return { ...scope, flags };
  const segment = each(({ segments }) => new TargetingIndex({ flags: [], segments }).withContained([key]));
  const tests = testsWithSegment(change, key);
  const replayed = tests.slice(0, MAX_REPLAYED_TESTS);
  const splitTests = { changes: replayed.map(testChange), more: tests.length - replayed.length };
  return { ...scope, flags, segment, splitTests };
}

/** The keys of those whose audience uses the segment, or one that contains it. */
function testsWithSegment({ before, after }: Change, id: string): string[] {
  const keys = [before, after].flatMap((property) => {
    const segments = dependentSegments(property, id);
    const usesOne = ({ audience }: SplitTest) =>
      segmentsIn(audience?.conditions ?? []).some((each) => segments.has(each));
    return property.splitTests.filter((test) => test.status !== 'archived' && usesOne(test));
  });
  return [...new Set(keys.map(({ key }) => key))];
}

function replayedTest(property: PropertyConfiguration, key: string): ReplayedTest | undefined {
  const test: SplitTest | undefined = property.splitTests.find((each) => each.key === key);
  if (test === undefined) return undefined;
  return {
    serving: servingOf(test),
    winner: test.winner,
    definition: definitionInForce(test, property),
  };
}

/** The flag or the users of the segment first, then the flags that have those as a prerequisite. */
function affectedFlags({ before, after }: Change, type: 'flag' | 'segment', key: string): string[] {
  const both = [before, after];
  const first = type === 'flag' ? [key] : both.flatMap((property) => flagsWithSegment(property, key));
  const dependents = new Map<string, Set<string>>();
  for (const flag of both.flatMap(({ flags }) => flags)) {
    for (const { flag: prerequisite } of flag.configurations.flatMap((each) => each.prerequisites)) {
      const known = dependents.get(prerequisite);
      if (known === undefined) dependents.set(prerequisite, new Set([flag.key]));
      else known.add(flag.key);
    }
  }
  return [...reachableFrom(first, (name) => dependents.get(name) ?? [])];
}

/** Those that use the segment, or one that contains it. */
function flagsWithSegment(property: PropertyConfiguration, id: string): string[] {
  const segments = dependentSegments(property, id);
  const usesOne = ({ conditions = [] }: Rule) => segmentsIn(conditions).some((each) => segments.has(each));
  return property.flags
    .filter(({ configurations }) => configurations.some(({ rules }) => rules.some(usesOne)))
    .map(({ key }) => key);
}

function flagsIn(change: Change, affected: readonly string[]): NonNullable<ImpactScope['flags']> {
  const ids = new Set(
    [change.before, change.after].flatMap(({ environments }) => environments.map(({ id }) => id)),
  );
  const keys = affected.slice(0, Math.max(1, Math.floor(MAX_REPLAYED / ids.size)));
  const [before, after] = [neededFor(keys, change.before), neededFor(keys, change.after)];
  const targetingIn = ({ flags, segments }: NeededItems, environment: string) =>
    new TargetingIndex({ flags: flags.map((flag) => definitionIn(flag, environment)), segments }).neededFor(
      keys,
    );
  return {
    keys,
    more: affected.length - keys.length,
    environments: [...ids].map((environment) => ({
      environment,
      before: targetingIn(before, environment),
      after: targetingIn(after, environment),
    })),
  };
}

interface NeededItems extends Pick<PropertyConfiguration, 'flags'> {
  segments: readonly Segment[];
}

/** What the flags depend on in any environment, so that not everything is looked at for each one. */
function neededFor(keys: readonly string[], { flags, segments }: PropertyConfiguration): NeededItems {
  const byKey = new Map(flags.map((flag) => [flag.key, flag]));
  const configurationsOf = (key: string) => byKey.get(key)?.configurations ?? [];
  const needed = reachableFrom(keys, (key) =>
    configurationsOf(key).flatMap(({ prerequisites }) => prerequisites.map(({ flag }) => flag)),
  );
  const rules = [...needed].flatMap(configurationsOf).flatMap((configuration) => configuration.rules);
  const used = rules.flatMap(({ conditions = [] }) => segmentsIn(conditions));
  return {
    flags: [...needed].flatMap((key) => byKey.get(key) ?? []),
    segments: new TargetingIndex({ flags: [], segments }).withContained(used),
  };
}
