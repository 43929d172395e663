import { Button, Select } from '@mantine/core';
import type { PlanResponse } from '@switchyard/core/api/test-plan';
import { metricFormat } from '@switchyard/core/metrics/metric-format';
import { DEFAULT_CURRENCY, duration, type Unit, values } from '@switchyard/core/stats/words/numbers';
import { useState } from 'react';
import { NumberField } from '../../../ui/fields/number-field.tsx';
import { formatCount, formatPercent } from '../../../ui/format/format.ts';
import { Loaded } from '../../../ui/page/panel.tsx';
import type { Configuration } from '../../configuration/configuration-types.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import classes from './editor.module.css';
import { EditorSection } from './editor-section.tsx';
import type { Outcome } from './outcome-options.ts';
import type { SplitTestForm } from './use-split-test-form.ts';
import { type PlannedOutcome, plannedAudience, plannedOutcome, useTestPlan } from './use-test-plan.ts';

const POWERS = [
  { value: '0.8', label: '80 % of the cases' },
  { value: '0.9', label: '90 % of the cases' },
  { value: '0.95', label: '95 % of the cases' },
];

/** How long the test takes to find a change that matters. */
export function PlanSection({ form, locked }: { form: SplitTestForm; locked: string | undefined }) {
  const { value, change, errorAt } = form;
  const [power, setPower] = useState('0.8');
  const { configuration } = useProperty();
  const goal = plannedGoal(configuration, value.goals[0]);
  const query = useTestPlan(goal?.outcome, value, Number(power));
  const percent = value.smallestEffect === null ? null : Number((value.smallestEffect * 100).toFixed(6));
  return (
    <EditorSection
      title="Plan"
      hint="How many visitors does the test need? Calculated from your traffic of the last 28 days."
      locked={locked}
    >
      <div className={classes.columns}>
        <NumberField
          label="Smallest change worth finding"
          description={effectHint(goal, query.data, configuration.property.displayCurrency)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          unit="%"
          placeholder="5"
          value={percent}
          onChange={(next) => change({ smallestEffect: next ? next / 100 : null })}
          error={errorAt('/smallestEffect')}
        />
        <Select
          label="Find it in"
          data={POWERS}
          value={power}
          onChange={(next) => setPower(next ?? '0.8')}
          allowDeselect={false}
        />
        <NumberField
          label="Planned visitors"
          description="In all variations together; the test is evaluated up to there. Empty: open end"
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          isWhole
          value={value.plannedVisitors}
          onChange={(next) => change({ plannedVisitors: next || null })}
          error={errorAt('/plannedVisitors')}
        />
      </div>
      <Planner form={form} goal={goal} query={query} />
    </EditorSection>
  );
}

/** What the plan is about. */
interface PlannedGoal {
  outcome: PlannedOutcome;
  lowerIsBetter: boolean;
  /** Of values that are no share of visitors. */
  unit: Unit;
}

/** Undefined for feedback, and for what the property does not have any more. */
function plannedGoal(
  { goals, metrics }: Configuration,
  primary: Outcome | undefined,
): PlannedGoal | undefined {
  const outcome = plannedOutcome(primary);
  if (outcome === undefined) return undefined;
  if ('goalId' in outcome) {
    const goal = goals.find(({ id }) => id === outcome.goalId);
    return goal && { outcome, lowerIsBetter: goal.lowerIsBetter, unit: 'dollars' };
  }
  const metric = metrics.find(({ id }) => id === outcome.metric);
  if (metric === undefined) return undefined;
  return { outcome, lowerIsBetter: metric.lowerIsBetter, unit: UNITS[metric.format ?? metricFormat(metric)] };
}

const UNITS = { number: 'number', money: 'dollars', seconds: 'seconds', percent: 'rate' } as const;

/** What a relative change means for this goal. */
function effectHint(
  goal: PlannedGoal | undefined,
  plan: PlanResponse | undefined,
  currency = DEFAULT_CURRENCY,
): string {
  const mean = plan?.baseline.mean ?? 0;
  if (!goal || !plan || mean <= 0) return 'Relative to the control: 5 % is from 10.0 % to 10.5 %';
  const factor = goal.lowerIsBetter ? 1 - plan.smallestEffect : 1 + plan.smallestEffect;
  const unit = /(rate|share)$/.test(plan.metric) ? 'rate' : goal.unit;
  const [now, then] = values(mean, mean * factor, unit, currency);
  return `Relative to the control: ${formatPercent(plan.smallestEffect)} is from ${now} to ${then}`;
}

interface PlannerProps {
  form: SplitTestForm;
  goal: PlannedGoal | undefined;
  query: ReturnType<typeof useTestPlan>;
}

function Planner({ form, goal, query }: PlannerProps) {
  const [primary] = form.value.goals;
  if (primary === undefined) return <p>Choose a primary goal, and the plan appears here.</p>;
  if (goal === undefined) return <p>Plans are made for goals and metrics; there is none for feedback.</p>;
  if (form.value.audience && plannedAudience(form.value) === undefined)
    return <p>A plan needs a complete audience, with a few hundred values at most.</p>;
  if (form.value.trafficAllocation === 0) return <p>Without traffic, the test never ends.</p>;
  return (
    <Loaded query={query} what="the plan" height={64}>
      {(plan) => <Plan plan={plan} form={form} sign={goal.lowerIsBetter ? '−' : '+'} />}
    </Loaded>
  );
}

function Plan({ plan, form, sign }: { plan: PlanResponse; form: SplitTestForm; sign: string }) {
  const { visitors, days, smallestEffect } = plan;
  const { plannedVisitors } = form.value;
  return (
    <div className={classes.fields} role="status">
      <p className={classes.sentence}>{timeNeeded(days, `${sign}${formatPercent(smallestEffect)}`)}</p>
      <p className="dimmed">{plan.words}</p>
      {visitors !== null && plannedVisitors !== visitors && (
        <div>
          <Button
            variant="default"
            size="xs"
            onClick={() => form.change({ plannedVisitors: visitors, smallestEffect })}
          >
            Plan with {formatCount(visitors)} visitors
          </Button>
        </div>
      )}
    </div>
  );
}

function timeNeeded(days: number | null, effect: string): string {
  if (days === null) return 'No plan yet';
  if (days > 365) return `More than a year to find ${effect}: look for a larger change, or use more traffic`;
  return `About ${duration(days)} to find ${effect}`;
}
