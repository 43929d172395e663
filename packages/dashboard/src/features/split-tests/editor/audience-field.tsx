import { Skeleton } from '@mantine/core';
import type { Audience } from '@switchyard/core/api/audience';
import { Suspense, useState } from 'react';
import { ChoiceField } from '../../../ui/fields/choice-field.tsx';
import { lazyPart } from '../../../ui/page/lazy-part.ts';
import type { SplitTestForm } from './use-split-test-form.ts';

/** Most tests are for all visitors. */
const AudienceConditions = lazyPart(() =>
  import('./audience-conditions.tsx').then((module) => module.AudienceConditions),
);

const CHOICES = [
  { value: 'all', label: 'All visitors' },
  { value: 'some', label: 'Only some visitors' },
] as const;

export function AudienceField({ form, disabled }: { form: SplitTestForm; disabled: boolean }) {
  const { value, change, errorAt } = form;
  const { audience } = value;
  // Conditions come back with the choice.
  const [left, setLeft] = useState<Audience>({ match: 'all', conditions: [] });
  const choose = (who: 'all' | 'some') => {
    if (audience) setLeft(audience);
    change({ audience: who === 'all' ? undefined : left });
  };
  const isAboutOne = audience?.conditions.some((_, index) => errorAt(`/audience/conditions/${index}`));
  return (
    <>
      <ChoiceField
        label="Who takes part"
        description={audience ? 'Everybody else sees the control and is not counted' : undefined}
        options={CHOICES}
        value={audience ? 'some' : 'all'}
        onChange={choose}
        disabled={disabled}
        error={isAboutOne ? undefined : errorAt('/audience/conditions')}
      />
      {audience && (
        <Suspense fallback={<Skeleton height={120} role="status" aria-label="Loading" />}>
          <AudienceConditions form={form} audience={audience} disabled={disabled} />
        </Suspense>
      )}
    </>
  );
}
