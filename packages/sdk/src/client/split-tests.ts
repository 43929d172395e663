import { assign } from '@switchyard/core/evaluation/assignment';

/** A variation as the service delivers it. */
export interface Variation {
  key: string;
  weight: number;
  /** JSON text for tests of type `json`. */
  value: string;
}

/** A split test as the service delivers it; members that are not listed here are ignored. */
export interface SplitTestDefinition {
  key: string;
  id: string;
  type: 'id' | 'text' | 'json';
  status: string;
  hashSeed: string;
  trafficAllocation: number;
  variations: Variation[];
}

export interface SplitTestConfig {
  tests: SplitTestDefinition[];
  /** Seconds for which the definitions count as fresh. */
  ttl: number;
}

/** What the server hands to the page, so that the first paint shows what the server rendered. */
export interface Bootstrap {
  visitorId: string;
  sessionId: string;
  config: SplitTestConfig;
  /** When the definitions were fetched, in Unix milliseconds. */
  fetchedAt: number;
  /** Keys of the tests whose exposure the server has recorded for this session. */
  exposed: string[];
}

/** What a visitor gets to see in a test. */
export interface Choice {
  testKey: string;
  variationKey: string;
  /** Variation key, text, or parsed JSON, by the type of the test. */
  value: unknown;
  /** False outside the traffic of the test: the control is shown and no exposure sent. */
  included: boolean;
  /** Chosen by hand in the address of the page: never recorded. */
  preview: boolean;
}

/** `undefined` for a test that cannot be shown: no variations, or content that is not the JSON it should be. */
export function choose(
  test: SplitTestDefinition,
  visitorId: string,
  previewKey?: string | null,
): Choice | undefined {
  const previewed = test.variations.find(({ key }) => key === previewKey);
  const { included, index } = assign(test, visitorId);
  const variation = previewed ?? test.variations[index];
  if (!variation) return undefined;
  try {
    return {
      testKey: test.key,
      variationKey: variation.key,
      value: contentOf(test.type, variation),
      included: included && !previewed,
      preview: previewed !== undefined,
    };
  } catch {
    return undefined;
  }
}

function contentOf(type: SplitTestDefinition['type'], { key, value }: Variation): unknown {
  if (type === 'id') return key;
  return type === 'json' ? JSON.parse(value) : value;
}
