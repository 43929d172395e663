import { Check } from '../../ui/fields/check.tsx';
import { NumberField } from '../../ui/fields/number-field.tsx';
import type { ItemForm } from '../changes/use-item-form.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { KindFields } from './kind-fields.tsx';
import { canBeCapped, type MetricDraft } from './metric-draft.ts';
import classes from './metric-fields.module.css';

interface MetricFieldsProps {
  form: ItemForm<MetricDraft>;
  /** A test has started with the metric. */
  isFixed?: boolean;
}

/** What a metric computes: the fields of its kind, and those that several kinds have. */
export function MetricFields({ form: { draft, errors, readOnly }, isFixed = false }: MetricFieldsProps) {
  const metric = draft.value;
  const disabled = isFixed || readOnly !== undefined;
  const { kind, withinDays, cap, lowerIsBetter } = metric;
  const currency = useProperty().configuration.property.displayCurrency ?? 'USD';
  if (kind === undefined) return null;
  const isFunnel = kind === 'funnel';
  return (
    <div className={classes.fields}>
      <KindFields metric={metric} errors={errors} disabled={disabled} onChange={draft.change} />
      <div className={classes.pair}>
        {kind !== 'retention' && (
          <NumberField
            label="Within"
            description={
              isFunnel
                ? 'Days for all steps, after a visitor saw the test'
                : 'Days after a visitor saw the test; empty: until its end'
            }
            unit="days"
            isWhole
            value={withinDays ?? null}
            error={errors('/withinDays')}
            disabled={disabled}
            onChange={(days) => draft.change({ withinDays: days ?? (isFunnel ? undefined : null) })}
          />
        )}
        {canBeCapped(metric) && (
          <NumberField
            label="At most per visitor"
            description="More counts as this, so that nobody decides a test alone; empty: no limit"
            unit={kind === 'sum' ? currency : ''}
            value={cap}
            error={errors('/cap')}
            disabled={disabled}
            onChange={(limit) => draft.change({ cap: limit })}
          />
        )}
      </div>
      <Check
        kind="switch"
        label="Lower is better"
        description="For metrics such as errors, bounces or load times"
        checked={lowerIsBetter}
        disabled={disabled}
        onChange={(isOn) => draft.change({ lowerIsBetter: isOn })}
      />
    </div>
  );
}
