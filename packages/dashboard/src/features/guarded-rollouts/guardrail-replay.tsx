import { Button } from '@mantine/core';
import type { GuardedRollout } from '@switchyard/core/api/results/guarded-rollouts';
import type { Rollout } from '@switchyard/core/api/targeting';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api.ts';
import { formatDateTime, formatPercent } from '../../ui/format/format.ts';
import { useSettled } from '../../ui/hooks/use-settled.ts';
import { Loaded } from '../../ui/page/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { useMeasuredTest } from '../measured-flags/flag-place.ts';
import type { MeasuredTest } from '../measured-flags/measured-tests.ts';
import { maxHarmOf } from '../outcomes/outcome-options.ts';

interface GuardrailReplayProps {
  /** As it is in the form. */
  rollout: Rollout;
  ruleId: string;
}

/** A dry run: what these guardrails would have done in the phases of the rule until now. */
export function GuardrailReplay({ rollout, ruleId }: GuardrailReplayProps) {
  const test = useMeasuredTest(ruleId);
  const [isOpen, setOpen] = useState(false);
  const guardrails = (rollout.guardrails ?? []).flatMap(replayed).join();
  if (test === undefined || test.phases.length === 0 || guardrails === '') return null;
  return (
    <div>
      <Button size="xs" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        What would they have done so far?
      </Button>
      {isOpen && <Phases test={test} guardrails={guardrails} minVisitors={rollout.minVisitors} />}
    </div>
  );
}

interface PhasesProps {
  test: MeasuredTest;
  guardrails: string;
  minVisitors: number | undefined;
}

function Phases({ test: { measuredRule, version }, guardrails, minVisitors }: PhasesProps) {
  const { propertyId } = useProperty();
  const asked = useSettled(JSON.stringify({ guardrails, minVisitors }));
  const query = useQuery({
    queryKey: ['guardrail-replay', propertyId, measuredRule, version, asked],
    queryFn: ({ signal }) =>
      request<GuardedRollout>('/v1/flags/rollout', {
        query: { propertyId, ...measuredRule, ...(JSON.parse(asked) as object) },
        signal,
      }),
  });
  return (
    <Loaded query={query} what="the dry run" height={40}>
      {({ phases }) => (
        <ul className="bullets" aria-label="What these guardrails would have done">
          {phases.map(({ phase, percentage, startedAt, endedAt, action, words }) => (
            <li key={phase}>
              {formatPercent(percentage / 100)}, from {formatDateTime(startedAt)}
              {endedAt !== null && ` to ${formatDateTime(endedAt)}`}: <strong>{ACTIONS[action]}</strong>.{' '}
              {withPeriod(words)}
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}

const withPeriod = (words: string) => words.replace(/\.?$/, '.');

const ACTIONS: Record<GuardedRollout['phases'][number]['action'], string> = {
  go: 'the next step',
  wait: 'wait',
  stay: 'stay',
  'roll-back': 'roll back',
};

/** How a request names a guardrail; those about feedback cannot be tried. */
function replayed(guardrail: NonNullable<Rollout['guardrails']>[number]): string[] {
  if (typeof guardrail === 'string') return [guardrail];
  if ('feedbackType' in guardrail) return [];
  const id = 'metric' in guardrail ? `metric:${guardrail.metric}` : guardrail.goalId;
  const maxHarm = maxHarmOf(guardrail);
  return [maxHarm === null ? id : `${id}:${maxHarm}`];
}
