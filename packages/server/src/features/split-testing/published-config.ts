import type { SplitTestConfig } from '@switchyard/core/api/split-testing';
import { prepare } from '../../http/etag.ts';
import {
  derivePerProperty,
  type PropertyConfiguration,
  type SplitTest,
} from '../../storage/property-configuration.ts';

export const CONFIG_TTL_SECONDS = 60;

/** What browsers fetch, as text: built once per saved change. */
export const publishedConfig = derivePerProperty((property) => {
  const config: SplitTestConfig = {
    tests: property.splitTests.filter(({ status }) => status === 'running').map(published),
    ttl: CONFIG_TTL_SECONDS,
  };
  return prepare(config);
});

function published({
  key,
  id,
  type,
  status,
  hashSeed,
  trafficAllocation,
  variations,
}: SplitTest): SplitTestConfig['tests'][number] {
  return {
    key,
    id,
    type,
    status,
    hashSeed,
    trafficAllocation,
    variations: variations.map(({ key, weight, value }) => ({ key, weight, value })),
  };
}

/** Variation keys by test key, of tests in any state. */
export const variationsByTest = derivePerProperty(
  (property: PropertyConfiguration): ReadonlyMap<string, ReadonlySet<string>> =>
    new Map(
      property.splitTests.map(({ key, variations }) => [
        key,
        new Set(variations.map((variation) => variation.key)),
      ]),
    ),
);
