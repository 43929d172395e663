import { TextInput } from '@mantine/core';
import { ChoiceField } from '../../ui/fields/choice-field.tsx';
import { NumberField } from '../../ui/fields/number-field.tsx';
import { FunnelSteps } from './funnel-steps.tsx';
import { GoalSelect } from './goal-select.tsx';
import type { MetricDraft } from './metric-draft.ts';
import classes from './metric-fields.module.css';
import { SourceField, VALUE_KINDS } from './source-field.tsx';

export interface KindFieldsProps {
  metric: MetricDraft;
  errors: (pointer: string) => string | undefined;
  disabled: boolean;
  onChange: (changes: Partial<MetricDraft>) => void;
}

/** What is asked for only for one kind of metric. */
export function KindFields(props: KindFieldsProps) {
  switch (props.metric.kind) {
    case undefined:
      return null;
    case 'count':
    case 'sum':
      return <GoalField {...props} />;
    case 'ratio':
      return <RatioFields {...props} />;
    case 'retention':
      return <RetentionFields {...props} />;
    case 'funnel':
      return (
        <FunnelSteps
          steps={props.metric.steps ?? []}
          errors={props.errors}
          disabled={props.disabled}
          onChange={(steps) => props.onChange({ steps })}
        />
      );
    case 'quantile':
      return <QuantileFields {...props} />;
    case 'page':
      return <PageFields {...props} />;
    case 'event':
      return <EventFields {...props} />;
  }
}

function GoalField({ metric, errors, disabled, onChange }: KindFieldsProps) {
  const isSum = metric.kind === 'sum';
  return (
    <GoalSelect
      label="Goal"
      description={
        isSum
          ? 'Goals of the kind “Revenue” have amounts'
          : 'How many visitors reach it decides; how often is shown, too'
      }
      hasAmounts={isSum}
      value={metric.goalId}
      error={errors('/goalId')}
      disabled={disabled}
      onChange={(goalId) => onChange({ goalId })}
    />
  );
}

function RatioFields({ metric, errors, disabled, onChange }: KindFieldsProps) {
  const part = (name: 'numerator' | 'denominator', label: string) => (
    <div>
      <p className={classes.label}>{label}</p>
      <SourceField
        name={label}
        kinds={VALUE_KINDS}
        source={metric[name] ?? { path: '' }}
        error={errors(`/${name}`)}
        disabled={disabled}
        onChange={(next) => onChange({ [name]: next })}
      />
    </div>
  );
  return (
    <>
      {part('numerator', 'Sum')}
      {part('denominator', 'Divided by')}
    </>
  );
}

function RetentionFields({ metric, errors, disabled, onChange }: KindFieldsProps) {
  const day = (name: 'fromDay' | 'toDay', label: string, description: string) => (
    <NumberField
      label={label}
      description={description}
      isWhole
      value={metric[name] ?? null}
      error={errors(`/${name}`)}
      disabled={disabled}
      onChange={(value) => onChange({ [name]: value ?? undefined })}
    />
  );
  return (
    <>
      <div className={classes.pair}>
        {day('fromDay', 'From day', 'Day 1 begins 24 hours after the visitor saw the test')}
        {day('toDay', 'To day', 'The last day that counts')}
      </div>
      <GoalSelect
        label="What they do then"
        placeholder="Any visit"
        value={metric.goalId}
        error={errors('/goalId')}
        disabled={disabled}
        onChange={(goalId) => onChange({ goalId })}
      />
    </>
  );
}

const MEASURED = [
  { value: 'event', label: 'Property of an event' },
  { value: 'goal', label: 'Amounts of a goal' },
] as const;

function QuantileFields({ metric, errors, disabled, onChange }: KindFieldsProps) {
  const { event, property, goalId, quantile } = metric;
  const isEvent = event !== undefined;
  return (
    <>
      <NumberField
        label="Percentile"
        description="50 is the median, 90 what nine of ten values stay below"
        unit="%"
        value={quantile === undefined ? null : Number((100 * quantile).toFixed(6))}
        error={errors('/quantile')}
        disabled={disabled}
        onChange={(value) => onChange({ quantile: value === null ? undefined : value / 100 })}
      />
      <ChoiceField
        label="Values"
        options={MEASURED}
        value={isEvent ? 'event' : 'goal'}
        disabled={disabled}
        onChange={(next) =>
          onChange(
            next === 'event'
              ? { event: '', property: '', goalId: undefined }
              : { event: undefined, property: undefined, goalId: null },
          )
        }
      />
      {isEvent ? (
        <div className={classes.pair}>
          <EventName {...{ metric, errors, disabled, onChange }} />
          <TextInput
            label="Property"
            description="Its values must be numbers"
            placeholder="seconds"
            maxLength={256}
            value={property ?? ''}
            error={
              property === '' ? errors('/property') && 'Enter the name of a property' : errors('/property')
            }
            disabled={disabled}
            onChange={({ currentTarget: { value } }) => onChange({ property: value })}
          />
        </div>
      ) : (
        <GoalSelect
          label="Goal"
          hasAmounts
          value={goalId}
          error={errors('/goalId')}
          disabled={disabled}
          onChange={(next) => onChange({ goalId: next })}
        />
      )}
    </>
  );
}

const PAGE_VALUES = [
  { value: 'visitors', label: 'Who views it' },
  { value: 'views', label: 'How many views' },
  { value: 'bounce', label: 'Who leaves at once' },
] as const;

function PageFields({ metric, errors, disabled, onChange }: KindFieldsProps) {
  const { of = 'visitors', path } = metric;
  return (
    <>
      <ChoiceField
        label="What counts"
        description={
          of === 'bounce' ? 'Sessions with a single page view, of those that begin there' : undefined
        }
        options={PAGE_VALUES}
        value={of === 'count' ? 'visitors' : of}
        error={errors('/of')}
        disabled={disabled}
        onChange={(next) =>
          onChange({
            of: next,
            ...(next !== 'views' && { cap: null }),
            // Nobody wants more bounces.
            ...((of === 'bounce' || next === 'bounce') && { lowerIsBetter: next === 'bounce' }),
          })
        }
      />
      <TextInput
        label="Pages"
        description="A path; * stands for anything. Empty: all pages"
        placeholder="/checkout*"
        maxLength={512}
        value={path ?? ''}
        error={errors('/path')}
        disabled={disabled}
        onChange={({ currentTarget: { value } }) => onChange({ path: value === '' ? null : value })}
      />
    </>
  );
}

const EVENT_VALUES = [
  { value: 'visitors', label: 'Who triggers it' },
  { value: 'count', label: 'How often' },
] as const;

function EventFields(props: KindFieldsProps) {
  const { metric, errors, disabled, onChange } = props;
  return (
    <>
      <EventName {...props} />
      <ChoiceField
        label="What counts"
        options={EVENT_VALUES}
        value={metric.of === 'count' ? 'count' : 'visitors'}
        error={errors('/of')}
        disabled={disabled}
        onChange={(next) => onChange({ of: next, ...(next !== 'count' && { cap: null }) })}
      />
    </>
  );
}

function EventName({ metric, errors, disabled, onChange }: KindFieldsProps) {
  const { event = '' } = metric;
  return (
    <TextInput
      label="Event"
      description="Its name, as your site sends it"
      placeholder="page loaded"
      maxLength={256}
      value={event}
      error={event === '' ? errors('/event') && 'Enter the name of an event' : errors('/event')}
      disabled={disabled}
      onChange={({ currentTarget: { value } }) => onChange({ event: value })}
    />
  );
}
