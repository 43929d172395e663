import { propertyPath } from '../../api.ts';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import { useReview } from '../changes/review-context.tsx';
import type { SplitTest } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { titleOf } from './split-test-facts.ts';

interface RetireButtonProps {
  test: SplitTest;
  /** Key of a variation. */
  variation: string;
  size?: string;
}

/** Takes a variation out of a test that goes on with the others, after a review. */
export function RetireButton({ test, variation, size }: RetireButtonProps) {
  const { propertyId, missingRole } = useProperty();
  const review = useReview();
  const variations = test.variations.map((each) =>
    each.key === variation ? { ...each, retired: true } : each,
  );
  const retire = () =>
    review({
      title: `Retire ${variation} in ${titleOf(test)}`,
      confirmLabel: 'Retire',
      consequence: `Visitors of “${variation}” see the control from now on and leave the test. Everybody else stays where they are, and nothing starts over.`,
      method: 'PATCH',
      path: propertyPath(propertyId, 'split-tests', test.key),
      body: { variations },
      version: test.version,
      item: { type: 'split-test', key: test.key },
      impact: { type: 'split-test', key: test.key, definition: { ...test, variations } },
    });
  return (
    <ReasonButton
      {...(size && { size, variant: 'default' })}
      reason={missingRole('editor')}
      onClick={() => void retire()}
    >
      Retire {variation}
    </ReasonButton>
  );
}
