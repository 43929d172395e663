import { explainAssignment } from '@switchyard/core/evaluation/explain-assignment';
import type { SplitTestConfig, SplitTestDefinition } from '../client/split-tests.ts';

const number = (value: number) => String(Number(value.toFixed(2)));

interface AssignmentInput {
  holdout: SplitTestConfig['holdout'];
  previewKey?: string | null | undefined;
  userId?: string | undefined;
}

/** Why a visitor gets a variation, such as "b: draw 63.2 is within 50 to 100". */
export function narrateAssignment(
  test: SplitTestDefinition,
  visitorId: string,
  { holdout, previewKey, userId }: AssignmentInput,
): { variationKey: string | null; words: string } {
  if (test.variations.some(({ key }) => key === previewKey)) {
    return { variationKey: previewKey!, words: `preview, because the URL has sy_${test.key}=${previewKey}` };
  }
  const { exclusion, ...definition } = test;
  const { variation, reason, steps } = explainAssignment(
    {
      status: 'running',
      winner: null,
      phase: test.phase ?? null,
      holdout,
      definition: { ...definition, ...(exclusion && { exclusion: { ...exclusion, group: '' } }) },
    },
    visitorId,
    userId,
  );
  return { variationKey: variation, words: wordsOf(reason, steps) };
}

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
    case 'NO_WEIGHT':
      return outside('no variation has a weight');
    default: {
      const chosen = variations.find((each) => each.chosen);
      const range = chosen ? `${number(chosen.from)} to ${number(chosen.to)}` : '';
      return `draw ${number(variationBucket ?? 0)} is within ${range}; traffic draw ${number(traffic?.bucket ?? 0)} is below ${number(traffic?.to ?? 0)}`;
    }
  }
}
