import { PropertyLink } from '../configuration/property-link.tsx';
import { MeasuredFlagIcon } from '../measured-flags/measured-flag-icon.tsx';
import { type ReportedTest, resultsOf } from './reported-test.ts';
import { titleOf } from './split-test-facts.ts';

/** The name of a split test or measured rule, which opens its results. */
export function TestLink({ test }: { test: Pick<ReportedTest, 'key' | 'name' | 'measuredRule'> }) {
  const { page, search } = resultsOf(test);
  return (
    <>
      {test.measuredRule && <MeasuredFlagIcon />}
      <PropertyLink to={page} search={search}>
        {titleOf(test)}
      </PropertyLink>
    </>
  );
}
