import { explainAssignment } from '@switchyard/core/evaluation/explain-assignment';
import type { SplitTestConfig, SplitTestDefinition } from '../client/split-tests.ts';

const number = (value: number) => String(Number(value.toFixed(2)));

interface AssignmentInput {
  holdout: SplitTestConfig['holdout'];
  previewKey?: string | null | undefined;
  userId?: string | undefined;
  /** Of tests with an audience; `undefined`: not known. */
  isInAudience?: boolean | undefined;
}

/** Why a visitor gets a variation, such as "b: draw 63.2 is within 50 to 100". */
export function narrateAssignment(
  test: SplitTestDefinition,
  visitorId: string,
  { holdout, previewKey, userId, isInAudience }: AssignmentInput,
): { variationKey: string | null; included: boolean; words: string } {
  if (test.variations.some(({ key }) => key === previewKey)) {
    return {
      variationKey: previewKey!,
      included: false,
      words: `preview, because the URL has sy_${test.key}=${previewKey}`,
    };
  }
  const { exclusion, audience, ...definition } = test;
  const { variation, included, reason, steps } = explainAssignment(
    {
      status: 'running',
      winner: null,
      phase: test.phase ?? null,
      holdout,
      definition: { ...definition, ...(exclusion && { exclusion: { ...exclusion, group: '' } }) },
      ...(isInAudience === false && { audience: OUTSIDE }),
    },
    visitorId,
    userId,
  );
  const condition = audience && isInAudience === undefined ? 'if the visitor belongs to the audience: ' : '';
  return { variationKey: variation, included, words: condition + wordsOf(reason, steps) };
}

/** The conditions are not explained here. */
const OUTSIDE = { match: 'all' as const, conditions: [], segments: [], passed: false };

type Explained = ReturnType<typeof explainAssignment>;

function wordsOf(reason: Explained['reason'], steps: Explained['steps']): string {
  const { holdout, exclusion, traffic, variations, variationBucket } = steps;
  const outside = (why: string) => `not included, so the first variation: ${why}`;
  switch (reason) {
    case 'HOLDOUT':
      return outside(`in the holdout (draw ${number(holdout!.bucket)} is below ${number(holdout!.to)})`);
    case 'EXCLUSION_GROUP':
      return outside(
        `draw ${number(exclusion!.bucket)} is not within ${number(exclusion!.from)} to ${number(exclusion!.to)}, its part of the exclusion group`,
      );
    case 'TRAFFIC':
      if (traffic!.to === 0) return outside('the test has no traffic, or a winner');
      return outside(`traffic draw ${number(traffic!.bucket)} is not below ${number(traffic!.to)}`);
    case 'AUDIENCE':
      return outside('the visitor does not belong to the audience');
    case 'RETIRED':
      return outside('the variation of the visitor is retired');
    case 'NO_WEIGHT':
      return outside('no variation has a weight');
    default: {
      const chosen = variations.find((each) => each.chosen);
      const range = chosen ? `${number(chosen.from)} to ${number(chosen.to)}` : '';
      return `draw ${number(variationBucket ?? 0)} is within ${range}; traffic draw ${number(traffic?.bucket ?? 0)} is below ${number(traffic?.to ?? 0)}`;
    }
  }
}
