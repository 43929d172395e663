import type { MetricStep } from '@switchyard/core/api/metrics';
import { type ReactNode, useState } from 'react';
import { AddButton } from '../../ui/fields/add-button.tsx';
import { MoveButtons } from '../../ui/lists/move-buttons.tsx';
import { moveItem } from '../../ui/lists/move-item.ts';
import { SortableList } from '../../ui/lists/sortable-list.tsx';
import { IconButton } from '../../ui/page/icon-button.tsx';
import classes from './metric-fields.module.css';
import { SourceField, STEP_KINDS } from './source-field.tsx';

const MAX_STEPS = 10;

interface FunnelStepsProps {
  steps: readonly MetricStep[];
  errors: (pointer: string) => string | undefined;
  disabled: boolean;
  onChange: (steps: MetricStep[]) => void;
}

/** What visitors do one after the other. */
export function FunnelSteps({ steps, errors, disabled, onChange }: FunnelStepsProps) {
  const [message, setMessage] = useState('');
  // Steps have no identity, and their fields no state of their own.
  const items = steps.map((step, index) => ({ step, id: String(index) }));
  const move = (from: number, to: number) => {
    onChange(moveItem(steps, from, to));
    setMessage(`Step ${from + 1} is now step ${to + 1} of ${steps.length}`);
  };
  const remove = (index: number) => {
    onChange(steps.filter((_, each) => each !== index));
    setMessage(`Step ${index + 1} removed`);
  };
  const renderStep = ({ step }: { step: MetricStep }, index: number, handle: ReactNode) => (
    <div className={classes.step}>
      {!disabled && <span className={classes.handle}>{handle}</span>}
      <span className={classes.number}>{index + 1}</span>
      <SourceField
        name={`Step ${index + 1}`}
        kinds={STEP_KINDS}
        source={step}
        error={errors(`/steps/${index}`)}
        disabled={disabled}
        onChange={(next) => onChange(steps.with(index, next))}
      />
      <div className={classes.actions}>
        <MoveButtons
          name={`step ${index + 1}`}
          index={index}
          count={steps.length}
          disabled={disabled}
          onMove={(to) => move(index, to)}
        />
        <IconButton
          icon="trash"
          aria-label={`Remove step ${index + 1}`}
          disabled={disabled || steps.length <= 2}
          onClick={() => remove(index)}
        />
      </div>
    </div>
  );
  return (
    <div>
      <p className={classes.label}>Steps</p>
      <p className={classes.hint}>
        Each counts only after the one before it. In paths, * stands for anything.
      </p>
      <SortableList items={items} idOf={({ id }) => id} onMove={move} renderItem={renderStep} />
      <AddButton
        mt="xs"
        disabled={disabled || steps.length >= MAX_STEPS}
        onClick={() => {
          onChange([...steps, { path: '' }]);
          setMessage(`Step ${steps.length + 1} added`);
        }}
      >
        Add step
      </AddButton>
      <div className="unseen" role="status">
        {message}
      </div>
    </div>
  );
}
