import { assign } from '@switchyard/core/evaluation/assignment';
import { attempt } from './attempt.ts';

/** A variation, as the service returns it. */
export interface Variation {
  key: string;
  weight: number;
  /** For tests of type `json`, the JSON as text. */
  value: string;
  /** Taken out: visitors who are assigned to it get the first variation and are not included. */
  retired?: true;
}

/** Who takes part in a test, as the service returns it. */
interface SplitTestAudience {
  match: 'all' | 'any';
  conditions: (AudienceCondition | SplitTestAudience)[];
  negate?: true;
}

interface AudienceCondition {
  attribute: string;
  operator: string;
  values?: (string | number)[];
  negate?: true;
  caseInsensitive?: true;
  /** The values are hashes of salt and value. */
  salt?: string;
}

/** A split test, as the service returns it; other members are ignored. */
export interface SplitTestDefinition {
  key: string;
  id: string;
  type: 'id' | 'text' | 'json';
  status: string;
  hashSeed: string;
  trafficAllocation: number;
  variations: Variation[];
  /** Sent with exposures. */
  phase?: number;
  /** A user gets the same variation on all devices, where the user id is known; missing: visitors are counted. */
  unit?: 'user';
  /** Only visitors who hash into this range of 0 to 100 take part. */
  exclusion?: { seed: string; from: number; to: number };
  /** Only visitors whose attributes match take part; missing: all. */
  audience?: SplitTestAudience;
}

export interface SplitTestConfig {
  tests: SplitTestDefinition[];
  /** Share of the visitors who are excluded from all tests. */
  holdout?: { seed: string; percentage: number };
  /** How long the definitions stay fresh, in seconds. */
  ttl: number;
}

/** Data that the server passes to the page, so that the first paint matches the rendered HTML. */
export interface Bootstrap {
  /** The property it belongs to, for pages with clients of several properties; any if missing. */
  propertyId?: string;
  visitorId: string;
  sessionId: string;
  /** If the server knows it: the page then shows what the server chose in tests with the unit `user`. */
  userId?: string | undefined;
  config: SplitTestConfig;
  /** When the definitions were fetched, in Unix milliseconds. */
  fetchedAt: number;
  /** Keys of the tests whose exposure the server has already recorded in this session. */
  exposed: string[];
  /** Whether the visitor belongs to the audience of each test that has one, for the first view of the page. */
  audiences?: Record<string, boolean>;
}

/** The variation that a visitor gets in a test. */
export interface Choice {
  testKey: string;
  variationKey: string;
  /** A variation key, text or parsed JSON, depending on the type of the test. */
  value: unknown;
  /** False for visitors outside the audience or the traffic: they get the control, and no exposure is recorded. */
  included: boolean;
  /** Chosen in the page's URL; never recorded. */
  preview: boolean;
  /** The phase of the test definition that was used. */
  phase: number | undefined;
}

interface ChoiceInput {
  visitorId: string;
  /** For tests with the unit `user`. */
  userId?: string | undefined;
  /** The variation named in the page's URL, if any. */
  previewKey?: string | null;
  holdout?: SplitTestConfig['holdout'];
  /** Whether the visitor does not belong to the audience of the test. */
  isOutside?: boolean;
}

/** `undefined` for an unusable test: no variations, or invalid JSON in a test of type `json`. */
export function choose(
  test: SplitTestDefinition,
  { visitorId, userId, previewKey, holdout, isOutside }: ChoiceInput,
): Choice | undefined {
  return attempt(() => {
    const previewed = test.variations.find(({ key }) => key === previewKey);
    const { included, index } = assign(test, visitorId, holdout, userId);
    const isIncluded = included && !isOutside;
    const { key, value } = previewed ?? test.variations[isIncluded ? index : 0]!;
    return {
      testKey: test.key,
      variationKey: key,
      value: test.type === 'id' ? key : test.type === 'json' ? JSON.parse(value) : value,
      included: isIncluded && !previewed,
      preview: !!previewed,
      phase: test.phase,
    };
  });
}
