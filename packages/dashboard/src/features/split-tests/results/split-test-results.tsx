import type { SplitTest } from '../../configuration/configuration-types.ts';
import { PropertyLink } from '../../configuration/property-link.tsx';
import { RetireButton } from '../retire-button.tsx';
import { isToRetire } from '../split-test-facts.ts';
import { DecisionPanel } from './decision-panel.tsx';
import { NoResults } from './no-results.tsx';
import { TestResults } from './test-results.tsx';

/** The results of a split test. */
export function SplitTestResults({ test }: { test: SplitTest }) {
  if (test.status === 'draft') return <NoResults test={test} />;
  return (
    <TestResults
      key={test.key}
      test={test}
      actionFor={(verdict) =>
        isToRetire(test, verdict) && (
          <RetireButton size="compact-sm" test={test} variation={verdict.variation} />
        )
      }
      incomparable={<Incomparable test={test} />}
      empty={<NoResults test={test} />}
      decision={<DecisionPanel test={test} />}
    />
  );
}

function Incomparable({ test }: { test: SplitTest }) {
  const isAlone = test.variations.length < 2;
  return (
    <>
      {isAlone
        ? 'A verdict compares variations with the control, and this test has only one variation.'
        : 'This test has no primary goal, so there is nothing to decide by.'}{' '}
      {test.status !== 'stopped' && test.status !== 'archived' && (
        <PropertyLink to={`split-tests/${encodeURIComponent(test.key)}`} search={{ tab: 'edit' }}>
          {isAlone ? 'Add a variation' : 'Choose a goal'}
        </PropertyLink>
      )}
    </>
  );
}
