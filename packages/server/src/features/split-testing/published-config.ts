import type { SplitTestConfig } from '@switchyard/core/api/split-testing';
import { definitionInForce } from '@switchyard/core/lifecycle/phases';
import { prepare } from '../../http/etag.ts';
import {
  derivePerProperty,
  type PropertyConfiguration,
  type SplitTest,
} from '../../storage/property-configuration.ts';

export const CONFIG_TTL_SECONDS = 60;

/** The config response for browsers, built once per saved change. */
export const publishedConfig = derivePerProperty((property) => {
  const config: SplitTestConfig = {
    tests: property.splitTests.flatMap((test) => published(test, property)),
    ttl: CONFIG_TTL_SECONDS,
    ...(property.holdout > 0 && { holdout: { seed: property.hashSeed, percentage: property.holdout } }),
  };
  return prepare(config);
});

type PublishedTest = SplitTestConfig['tests'][number];

function published(test: SplitTest, property: PropertyConfiguration): PublishedTest[] {
  const { key, id, type, status, winner } = test;
  const { hashSeed, trafficAllocation, variations, exclusion } = definitionInForce(test, property);
  const phase = test.phases.at(-1)?.number;
  const base = { key, id, type, status: 'running', hashSeed, ...(phase !== undefined && { phase }) };
  if (status === 'running') {
    const slot = exclusion && { seed: exclusion.seed, from: exclusion.from, to: exclusion.to };
    return [{ ...base, trafficAllocation, variations, ...(slot && { exclusion: slot }) }];
  }
  if (status !== 'stopped' || winner === null) return [];
  // Outside of the traffic, clients show the first variation and record nothing: so all of them serve the winner.
  const isWinner = (variation: { key: string }) => variation.key === winner;
  const winnerFirst = [
    ...variations.filter(isWinner),
    ...variations.filter((variation) => !isWinner(variation)),
  ];
  return [{ ...base, trafficAllocation: 0, variations: winnerFirst }];
}

interface ExposableTest {
  variationKeys: ReadonlySet<string>;
  /** 0 before the test first ran. */
  latestPhase: number;
}

/** Tests of any status by key, with the variations of earlier phases, because browsers cache definitions. */
export const exposableTests = derivePerProperty(
  (property: PropertyConfiguration): ReadonlyMap<string, ExposableTest> =>
    new Map(
      property.splitTests.map(({ key, variations, phases }) => {
        const all = [...variations, ...phases.flatMap(({ definition }) => definition.variations)];
        const variationKeys = new Set(all.map((variation) => variation.key));
        return [key, { variationKeys, latestPhase: phases.at(-1)?.number ?? 0 }];
      }),
    ),
);
