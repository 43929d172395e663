import { assign } from '@switchyard/core/evaluation/assignment';
import { attempt } from './attempt.ts';

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
  /** Number of the definition; goes with exposures. */
  phase?: number;
  /** Only visitors in this part of 0 to 100 take part. */
  exclusion?: { seed: string; from: number; to: number };
}

export interface SplitTestConfig {
  tests: SplitTestDefinition[];
  /** Visitors who are kept out of all tests. */
  holdout?: { seed: string; percentage: number };
  /** Seconds for which the definitions count as fresh. */
  ttl: number;
}

/** What the server hands to the page, so that the first paint shows what the server rendered. */
export interface Bootstrap {
  /** Keeps the clients of two properties in one page apart; absent means any. */
  propertyId?: string;
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
  /** The phase of the test whose definition decided. */
  phase: number | undefined;
}

interface ChoiceInput {
  visitorId: string;
  /** The variation named in the page's URL, if any. */
  previewKey?: string | null;
  holdout?: SplitTestConfig['holdout'];
}

/** `undefined` for a test that cannot be shown: no variations, or content that is not the JSON it should be. */
export function choose(
  test: SplitTestDefinition,
  { visitorId, previewKey, holdout }: ChoiceInput,
): Choice | undefined {
  return attempt(() => {
    const previewed = test.variations.find(({ key }) => key === previewKey);
    const { included, index } = assign(test, visitorId, holdout);
    const { key, value } = previewed ?? test.variations[index]!;
    return {
      testKey: test.key,
      variationKey: key,
      value: test.type === 'id' ? key : test.type === 'json' ? JSON.parse(value) : value,
      included: included && !previewed,
      preview: !!previewed,
      phase: test.phase,
    };
  });
}
