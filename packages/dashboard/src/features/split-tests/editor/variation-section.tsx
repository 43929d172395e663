import { Button, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { ShareBar } from '../../../ui/charts/share-bar.tsx';
import { Choice } from '../../../ui/fields/choice.tsx';
import { equalWeight, weightShares, weightsWithOneMore } from '../../../ui/fields/weight-shares.ts';
import { moveItem } from '../../../ui/lists/move-item.ts';
import { Icon } from '../../../ui/page/icon.tsx';
import classes from './editor.module.css';
import { EditorSection } from './editor-section.tsx';
import type { FieldLock } from './field-lock.ts';
import { PhaseNote } from './phase-note.tsx';
import type { SplitTestDraft } from './split-test-draft.ts';
import type { SplitTestForm } from './use-split-test-form.ts';
import { VariationFields } from './variation-fields.tsx';

type Variation = SplitTestDraft['variations'][number];

const TYPES = [
  { value: 'text', label: 'Text' },
  { value: 'json', label: 'JSON' },
  { value: 'id', label: 'Only a key' },
] as const;

const TYPE_HINTS = {
  text: 'Your code gets a text, such as a headline.',
  json: 'Your code gets a JSON value, such as several texts and settings.',
  id: 'Your code gets the key of the variation and decides itself what to show.',
};

export function VariationSection({ form, lock }: { form: SplitTestForm; lock: FieldLock }) {
  const { value, change, errorAt, stored } = form;
  const { variations, type } = value;
  const shares = weightShares(variations.map(({ weight }) => weight));
  const setAll = (next: Variation[]) => change({ variations: next });
  const list = useRef<HTMLOListElement>(null);
  const isAdding = useRef(false);
  useEffect(() => {
    if (isAdding.current) list.current?.lastElementChild?.querySelector('input')?.focus();
    isAdding.current = false;
  });
  const add = () => {
    isAdding.current = true;
    setAll(withOneMore(variations));
  };
  const hasInvalidField = variations.some((_, index) =>
    ['key', 'weight', 'value'].some((field) => errorAt(`/variations/${index}/${field}`)),
  );
  const error = hasInvalidField ? undefined : errorAt('/variations');
  const isChanged = stored !== undefined && movesVisitors(stored.variations, variations);
  return (
    <EditorSection
      title="Variations"
      hint="What visitors get. The first variation is the control, with which the others are compared."
      locked={lock.definition}
    >
      <div>
        <span className={classes.label} id="variation-type">
          What your code gets
        </span>
        <div>
          <Choice
            labelledBy="variation-type"
            options={TYPES}
            value={type}
            onChange={(next) => change({ type: next })}
            disabled={lock.start !== undefined}
          />
        </div>
        <Text size="xs" c="dimmed">
          {TYPE_HINTS[type]}
          {lock.start !== undefined && lock.definition === undefined && ` ${lock.start}.`}
        </Text>
      </div>
      <ol className={classes.variations} ref={list}>
        {variations.map((variation, index) => (
          <VariationFields
            // biome-ignore lint/suspicious/noArrayIndexKey: keys are being edited, so only the position is stable
            key={index}
            form={form}
            index={index}
            variation={variation}
            share={shares[index]!}
            onChange={(changes) => setAll(variations.with(index, { ...variation, ...changes }))}
            onMove={(to) => setAll(moveItem(variations, index, to))}
            onRemove={variations.length > 1 ? () => setAll(variations.toSpliced(index, 1)) : undefined}
          />
        ))}
      </ol>
      {error && (
        <Text size="sm" className="bad" role="alert">
          {error}
        </Text>
      )}
      <WeightBar variations={variations} shares={shares} />
      <div className={classes.buttons}>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="plus" />}
          disabled={variations.length >= 100}
          onClick={add}
        >
          Add variation
        </Button>
        <Button
          variant="default"
          size="xs"
          onClick={() =>
            setAll(variations.map((each) => ({ ...each, weight: equalWeight(variations.length) })))
          }
        >
          Distribute evenly
        </Button>
      </div>
      <PhaseNote stored={stored} isChanged={isChanged} what="Changed variations or weights" />
    </EditorSection>
  );
}

/** Retiring a variation leaves everybody else where they are. */
function movesVisitors(before: readonly Variation[], after: readonly Variation[]): boolean {
  const content = (list: readonly Variation[]) =>
    JSON.stringify(list.map(({ key, weight, value }) => [key, weight, value]));
  const isRetired = (key: string) => after.some((each) => each.key === key && each.retired);
  return content(before) !== content(after) || before.some((each) => each.retired && !isRetired(each.key));
}

/** The new variation has the next free letter as key, and an equal share; the relation of the others stays. */
function withOneMore(variations: readonly Variation[]): Variation[] {
  const keys = new Set(variations.map(({ key }) => key));
  const letters = 'bcdefghijklmnopqrstuvwxyz';
  const free = [...letters].find((letter) => !keys.has(letter)) ?? `variation-${variations.length + 1}`;
  const added = { key: free, weight: 1, value: variations[0]?.value ?? '' };
  const weights = weightsWithOneMore(variations.map(({ weight }) => weight));
  return [...variations, added].map((each, index) => ({ ...each, weight: weights[index]! }));
}

interface WeightBarProps {
  variations: readonly Variation[];
  shares: readonly number[];
}

/** How visitors are divided; the numbers are beside each weight. */
function WeightBar({ variations, shares }: WeightBarProps) {
  const total = variations.reduce((sum, { weight }) => sum + weight, 0);
  return (
    <>
      <ShareBar
        hasControl
        shares={shares}
        titles={variations.map(({ key }, index) => `${key}: ${shares[index]} %`)}
      />
      {Math.abs(total - 100) > 0.01 && (
        <Text size="xs" c="dimmed">
          The weights add up to {Number(total.toFixed(2))}, not 100: visitors are divided by the percentages
          beside them.
        </Text>
      )}
    </>
  );
}
