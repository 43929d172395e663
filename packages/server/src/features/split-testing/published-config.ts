import { createHash } from 'node:crypto';
import type { SplitTestConfig } from '@switchyard/core/api/split-testing';
import { publishAudience } from '@switchyard/core/evaluation/publish-audience';
import { AA_TEST_KEY, type AaRound, aaRoundAt, aaTestOf } from '@switchyard/core/lifecycle/aa-test';
import { definitionInForce } from '@switchyard/core/lifecycle/phases';
import { servingOf } from '@switchyard/core/lifecycle/serving';
import {
  derivePerProperty,
  type PropertyConfiguration,
  type SplitTest,
} from '../../configuration/property/property-configuration.ts';
import { prepare } from '../../http/contract/etag.ts';
import { compileRuleRegex } from '../../platform/rule-regex.ts';

export const CONFIG_TTL_SECONDS = 60;

/** The config response for browsers, built once per saved change and round of the A/A test. */
export const publishedConfig = derivePerRound((property, round) => {
  const tests = property.splitTests.flatMap((test) => published(test, property));
  const config: SplitTestConfig = {
    tests: round === undefined ? tests : [...tests, publishedAaTest(property, round)],
    ttl: CONFIG_TTL_SECONDS,
    ...(property.holdout > 0 && { holdout: { seed: property.hashSeed, percentage: property.holdout } }),
  };
  return prepare(config);
});

/** Caches a value per property and round; without a published A/A test, there is no round. */
function derivePerRound<T>(derive: (property: PropertyConfiguration, round?: AaRound) => T) {
  const cached = derivePerProperty((): { round?: AaRound; value?: T } => ({}));
  return (property: PropertyConfiguration, now: number): T => {
    const latest = cached(property);
    const isOver = latest.round !== undefined && (now < latest.round.startedAt || now >= latest.round.endsAt);
    if (latest.value === undefined || isOver) {
      latest.round = property.aaTest === 'exposures' ? aaRoundAt(now) : undefined;
      latest.value = derive(property, latest.round);
    }
    return latest.value;
  };
}

function publishedAaTest(property: PropertyConfiguration, round: AaRound): PublishedTest {
  const { hashSeed, trafficAllocation, variations } = aaTestOf(property, round);
  return {
    key: AA_TEST_KEY,
    id: AA_TEST_KEY,
    type: 'id',
    status: 'running',
    hashSeed,
    trafficAllocation,
    variations: variations.map(({ key, weight }) => ({ key, weight, value: key })),
    phase: round.number,
  };
}

type PublishedTest = SplitTestConfig['tests'][number];

function published(test: SplitTest, property: PropertyConfiguration): PublishedTest[] {
  const { key, id, type, winner } = test;
  const { hashSeed, trafficAllocation, variations, exclusion, unit, audience } = definitionInForce(
    test,
    property,
  );
  const phase = test.phases.at(-1)?.number;
  const base = { key, id, type, status: 'running', hashSeed, ...(phase !== undefined && { phase }) };
  const serving = servingOf(test);
  if (serving === 'assigned') {
    const slot = exclusion && { seed: exclusion.seed, from: exclusion.from, to: exclusion.to };
    return [
      {
        ...base,
        trafficAllocation,
        variations: variations.map((each) => (each.retired ? asControl(each, variations[0]!) : each)),
        ...(unit === 'user' && { unit }),
        ...(audience && { audience: publishAudience(audience, audience.segments, publishTools(hashSeed)) }),
        ...(slot && { exclusion: slot }),
      },
    ];
  }
  if (serving === 'nothing') return [];
  // Outside of the traffic, clients show the first variation and record nothing: so all of them serve the winner.
  const isWinner = (variation: { key: string }) => variation.key === winner;
  const winnerFirst = [
    ...variations.filter(isWinner),
    ...variations.filter((variation) => !isWinner(variation)),
  ];
  return [{ ...base, trafficAllocation: 0, variations: winnerFirst.map(withoutRetired) }];
}

type PublishedVariation = PublishedTest['variations'][number];

/** Clients that do not know `retired` show the control to the visitors of the variation, by its weight. */
const asControl = ({ weight }: PublishedVariation, control: PublishedVariation): PublishedVariation => ({
  key: control.key,
  weight,
  value: control.value,
  retired: true,
});

/** Nobody is assigned any more. */
const withoutRetired = ({ key, weight, value }: PublishedVariation): PublishedVariation => ({
  key,
  weight,
  value,
});

const publishTools = (hashSeed: string) => ({
  salt: hashSeed,
  sha256: (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32),
  regex: compileRuleRegex,
});

interface ExposableTest {
  variationKeys: ReadonlySet<string>;
  /** 0 before the test first ran. */
  latestPhase: number;
}

/** Tests of any status by key, with the variations of earlier phases, because browsers cache definitions. */
export const exposableTests = derivePerRound((property, round): ReadonlyMap<string, ExposableTest> => {
  const tests = new Map(
    property.splitTests.map(({ key, variations, phases }) => {
      const all = [...variations, ...phases.flatMap(({ definition }) => definition.variations)];
      const variationKeys = new Set(all.map((variation) => variation.key));
      return [key, { variationKeys, latestPhase: phases.at(-1)?.number ?? 0 }];
    }),
  );
  if (round !== undefined) {
    const variationKeys = new Set(aaTestOf(property, round).variations.map(({ key }) => key));
    tests.set(AA_TEST_KEY, { variationKeys, latestPhase: round.number });
  }
  return tests;
});
