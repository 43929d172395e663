import '../../ui/style/mantine-form-styles.ts';
import { Select, TextInput } from '@mantine/core';
import type { MetricStep, MetricValue } from '@switchyard/core/api/metrics';
import { GoalSelect } from './goal-select.tsx';
import classes from './metric-fields.module.css';

const NAMES = {
  goal: 'Goal',
  count: 'Conversions of',
  sum: 'Amounts of',
  page: 'Page',
  event: 'Custom event',
} as const;
type SourceKind = keyof typeof NAMES;
type Source = MetricStep | MetricValue;

/** What a step of a funnel can be. */
export const STEP_KINDS: readonly SourceKind[] = ['page', 'goal', 'event'];
/** What a ratio can be made of. */
export const VALUE_KINDS: readonly SourceKind[] = ['count', 'sum', 'page', 'event'];

interface SourceFieldProps<T extends Source> {
  /** Names both fields for assistive technology, such as "Step 1". */
  name: string;
  kinds: readonly SourceKind[];
  source: T;
  error: string | undefined;
  disabled: boolean;
  onChange: (source: T) => void;
}

/** Something that visitors do: its kind, and which one. */
export function SourceField<T extends Source>({
  name,
  kinds,
  source,
  onChange,
  ...rest
}: SourceFieldProps<T>) {
  const kind = kindOf(source);
  return (
    <div className={classes.source}>
      <Select
        aria-label={`${name}: kind`}
        data={kinds.map((value) => ({ value, label: NAMES[value] }))}
        value={kind}
        allowDeselect={false}
        disabled={rest.disabled}
        onChange={(next) => onChange(startOf(next as SourceKind, source) as T)}
      />
      <Which name={name} source={source} onChange={(next) => onChange(next as T)} {...rest} />
    </div>
  );
}

type WhichProps = Omit<SourceFieldProps<Source>, 'kinds'>;

function Which({ name, source, error, disabled, onChange }: WhichProps) {
  if ('goalId' in source) {
    return (
      <GoalSelect
        aria-label={`${name}: goal`}
        hasAmounts={'of' in source && source.of === 'sum'}
        value={source.goalId}
        error={source.goalId === '' ? error && 'Choose a goal' : error}
        disabled={disabled}
        onChange={(goalId) => onChange({ ...source, goalId: goalId ?? '' })}
      />
    );
  }
  const isPage = 'path' in source;
  const text = isPage ? source.path : source.event;
  const missing = isPage ? 'Enter a path that starts with “/”, or *' : 'Enter the name of an event';
  return (
    <TextInput
      aria-label={`${name}: ${isPage ? 'path' : 'event'}`}
      placeholder={isPage ? '/checkout*' : 'Name of the event'}
      maxLength={isPage ? 512 : 256}
      value={text}
      error={text === '' ? error && missing : error}
      disabled={disabled}
      onChange={({ currentTarget: { value } }) => onChange(isPage ? { path: value } : { event: value })}
    />
  );
}

function kindOf(source: Source): SourceKind {
  if ('path' in source) return 'page';
  if ('event' in source) return 'event';
  return 'of' in source ? source.of : 'goal';
}

/** Another kind; a goal stays where it can. */
function startOf(kind: SourceKind, before: Source): Source {
  if (kind === 'page') return { path: '' };
  if (kind === 'event') return { event: '' };
  const goalId = 'goalId' in before && kind !== 'sum' ? before.goalId : '';
  return kind === 'goal' ? { goalId } : { goalId, of: kind };
}
