import { Button, Select } from '@mantine/core';
import type { PlanResponse } from '@switchyard/core/api/test-plan';
import { DEFAULT_CURRENCY, duration, values } from '@switchyard/core/stats/words/numbers';
import { useState } from 'react';
import { NumberField } from '../../ui/fields/number-field.tsx';
import { formatCount, formatPercent } from '../../ui/format/format.ts';
import { Loaded } from '../../ui/page/panel.tsx';
import type { Goal } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import classes from './outcome-fields.module.css';
import type { OutcomeForm } from './outcome-form.ts';
import { type PlannedDivision, useTestPlan } from './use-test-plan.ts';

const POWERS = [
  { value: '0.8', label: '80 % of the cases' },
  { value: '0.9', label: '90 % of the cases' },
  { value: '0.95', label: '95 % of the cases' },
];

interface PlanFieldsProps {
  form: OutcomeForm;
  division: PlannedDivision;
  /** Only some visitors are compared. */
  hasAudience: boolean;
  /** About the planned visitors. */
  whereTo: string;
  disabled?: boolean;
}

/** The smallest effect that matters, and how many visitors it takes to find it. */
export function PlanFields({ form, division, hasAudience, whereTo, disabled = false }: PlanFieldsProps) {
  const { value, change, errorAt } = form;
  const [power, setPower] = useState('0.8');
  const { configuration } = useProperty();
  const goal = configuration.goals.find(({ id }) => id === value.goals[0]);
  const query = useTestPlan(goal?.id, value, division, Number(power));
  const percent = value.smallestEffect === null ? null : Number((value.smallestEffect * 100).toFixed(6));
  return (
    <>
      <div className={classes.columns}>
        <NumberField
          label="Smallest change worth finding"
          description={effectHint(goal, query.data, configuration.property.displayCurrency)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          unit="%"
          placeholder="5"
          disabled={disabled}
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
          disabled={disabled}
        />
        <NumberField
          label="Planned visitors"
          description={whereTo}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          isWhole
          disabled={disabled}
          value={value.plannedVisitors}
          onChange={(next) => change({ plannedVisitors: next || null })}
          error={errorAt('/plannedVisitors')}
        />
      </div>
      <Planner
        form={form}
        goal={goal}
        division={division}
        hasAudience={hasAudience}
        query={query}
        disabled={disabled}
      />
    </>
  );
}

/** What a relative change means for this goal. */
function effectHint(
  goal: Goal | undefined,
  plan: PlanResponse | undefined,
  currency = DEFAULT_CURRENCY,
): string {
  const mean = plan?.baseline.mean ?? 0;
  if (!goal || !plan || mean <= 0) return 'Relative to the control: 5 % is from 10.0 % to 10.5 %';
  const factor = goal.lowerIsBetter ? 1 - plan.smallestEffect : 1 + plan.smallestEffect;
  const unit = goal.kind === 'revenue' ? 'dollars' : 'rate';
  const [now, then] = values(mean, mean * factor, unit, currency);
  return `Relative to the control: ${formatPercent(plan.smallestEffect)} is from ${now} to ${then}`;
}

interface PlannerProps extends Pick<PlanFieldsProps, 'form' | 'division' | 'hasAudience' | 'disabled'> {
  goal: Goal | undefined;
  query: ReturnType<typeof useTestPlan>;
}

function Planner({ form, goal, division, hasAudience, query, disabled }: PlannerProps) {
  const [primary] = form.value.goals;
  if (primary === undefined) return <p>Choose a primary goal, and the plan appears here.</p>;
  if (goal === undefined) return <p>Plans are made for goals; there is none for feedback.</p>;
  if (hasAudience && division.audience === undefined)
    return <p>A plan needs a complete audience, with a few hundred values at most.</p>;
  if (division.participating === 0) return <p>Without traffic, the test never ends.</p>;
  return (
    <Loaded query={query} what="the plan" height={64}>
      {(plan) => (
        <Plan
          plan={plan}
          form={form}
          unevenness={division.unevenness ?? 1}
          sign={goal.lowerIsBetter ? '−' : '+'}
          disabled={disabled}
        />
      )}
    </Loaded>
  );
}

interface PlanProps extends Pick<PlanFieldsProps, 'form' | 'disabled'> {
  plan: PlanResponse;
  unevenness: number;
  /** Of the effect that is looked for. */
  sign: string;
}

function Plan({ plan, form, unevenness, sign, disabled = false }: PlanProps) {
  const { days, smallestEffect } = plan;
  const { plannedVisitors } = form.value;
  const visitors = plan.visitors === null ? null : Math.ceil(plan.visitors * unevenness);
  // The words are about equal shares.
  const isUneven = visitors !== null && visitors > plan.visitors!;
  return (
    <div className={classes.plan} role="status">
      <p className={classes.sentence}>{timeNeeded(days, `${sign}${formatPercent(smallestEffect)}`)}</p>
      <p className="dimmed">{isUneven ? unevenWords(plan, visitors) : plan.words}</p>
      {visitors !== null && plannedVisitors !== visitors && (
        <div>
          <Button
            variant="default"
            size="xs"
            disabled={disabled}
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

/** Without days, nobody enters. */
function unevenWords({ visitors: withEqualShares, days, baseline }: PlanResponse, visitors: number): string {
  const words = `It takes ${formatCount(visitors)} visitors; with equal shares, ${formatCount(withEqualShares!)} would do.`;
  return days === null
    ? `${words} Nobody who visited in the last ${baseline.days} days matches, as far as sessions tell.`
    : words;
}
