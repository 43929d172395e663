import { useQuery } from '@tanstack/react-query';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { resultsOf } from '../split-tests/reported-test.ts';
import { verdictQuery } from '../split-tests/verdict-query.ts';
import { decisionWords, urgentVerdict } from '../split-tests/verdict-summary.ts';
import { useMeasuredTest } from './flag-place.ts';
import classes from './measured-badge.module.css';
import type { MeasuredTest } from './measured-tests.ts';

/** Beside a rule that is or was measured: the verdict, which opens the results. */
export function MeasuredBadge({ ruleId }: { ruleId: string }) {
  const test = useMeasuredTest(ruleId);
  return test === undefined ? null : <Badge test={test} />;
}

const STATES: Partial<Record<MeasuredTest['status'], string>> = { paused: 'Paused', draft: 'Not started' };

function Badge({ test }: { test: MeasuredTest }) {
  const { propertyId } = useProperty();
  const { data } = useQuery(verdictQuery(propertyId, test));
  const { page, search } = resultsOf(test);
  const verdict = data && urgentVerdict(data);
  const ended = test.winner === null ? 'Ended' : `Winner: ${test.winner}`;
  const state = test.status === 'stopped' ? ended : STATES[test.status];
  // A rollout with guardrails is compared without being measured by a goal.
  const kind = test.rule.measure === undefined ? 'Guarded' : 'Measured';
  const words = state ?? (verdict ? decisionWords(verdict, data) : kind);
  return (
    <PropertyLink
      to={page}
      search={search}
      className={`badge ${classes.badge}`}
      aria-label={`${words}: results of the measured rule`}
    >
      {words}
    </PropertyLink>
  );
}
