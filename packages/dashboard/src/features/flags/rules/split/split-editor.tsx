import { Button, Group, Text } from '@mantine/core';
import type { SplitEntry } from '@switchyard/core/api/targeting';
import { useEffect, useRef, useState } from 'react';
import { ShareBar } from '../../../../ui/charts/share-bar.tsx';
import { AddButton } from '../../../../ui/fields/add-button.tsx';
import { formatPercent } from '../../../../ui/format/format.ts';
import { useRowKeys } from '../../../../ui/hooks/use-row-keys.ts';
import type { FlagKind } from '../../values/flag-kinds.ts';
import classes from './split-editor.module.css';
import { SplitEntryFields } from './split-entry-fields.tsx';
import { MAX_ENTRIES, MIN_ENTRIES, splitShares, withEqualWeights, withOneMore } from './splits.ts';

interface SplitEditorProps {
  split: readonly SplitEntry[];
  /** The rule is for a percentage only. */
  isPartial: boolean;
  kind: FlagKind;
  onChange: (split: SplitEntry[]) => void;
  errors: (pointer: string) => string | undefined;
  /** JSON pointer of the split. */
  pointer: string;
  disabled: boolean;
}

/** Several values, each for its share of those whom a rule is for. */
export function SplitEditor(props: SplitEditorProps) {
  const { split, isPartial, kind, onChange, errors, pointer, disabled } = props;
  const [isNamed, setNamed] = useState(() => split.some(({ key }) => key !== undefined));
  // A name that is used twice must be seen, also while it is corrected.
  const hasWrongName = split.some((_, index) => errors(`${pointer}/${index}/key`) !== undefined);
  if (hasWrongName && !isNamed) setNamed(true);
  const shares = splitShares(split);
  const rows = useRowKeys(split.length);
  const list = useRef<HTMLUListElement>(null);
  const isAdding = useRef(false);
  useEffect(() => {
    if (isAdding.current) list.current?.lastElementChild?.querySelector<HTMLElement>(FIELD)?.focus();
    isAdding.current = false;
  });
  const add = () => {
    isAdding.current = true;
    onChange(withOneMore(split, kind));
  };
  const remove = (index: number) => {
    rows.remove(index);
    onChange(split.toSpliced(index, 1));
  };
  return (
    <div className={classes.split}>
      <ul className={classes.split} ref={list}>
        {split.map((entry, index) => (
          <SplitEntryFields
            key={rows.keys[index]}
            entry={entry}
            index={index}
            kind={kind}
            share={shares[index]!}
            isNamed={isNamed}
            pointer={`${pointer}/${index}`}
            errors={errors}
            disabled={disabled}
            onChange={(next) => onChange(split.with(index, next))}
            onRemove={split.length > MIN_ENTRIES ? () => remove(index) : undefined}
          />
        ))}
      </ul>
      <ShareBar
        shares={shares}
        titles={shares.map((share, index) => `Value ${index + 1}: ${formatPercent(share / 100)}`)}
      />
      <ListError split={split} errors={errors} pointer={pointer} />
      <Group gap="xs">
        <AddButton disabled={disabled || split.length >= MAX_ENTRIES} onClick={add}>
          Add value
        </AddButton>
        <Button
          size="xs"
          variant="default"
          disabled={disabled}
          onClick={() => onChange(withEqualWeights(split))}
        >
          Equal weights
        </Button>
        <Button size="xs" variant="subtle" aria-expanded={isNamed} onClick={() => setNamed(!isNamed)}>
          Name the variants
        </Button>
      </Group>
      <p className={classes.hint}>
        {isNamed && 'Evaluations report the variant: its name, or the position of the value from 0. '}
        Everyone keeps their value: it is drawn from the id in the context, and without an id the rule does
        not apply. {isPartial ? PARTIAL_HINT : HINT}
      </p>
    </div>
  );
}

const HINT =
  'If you raise a weight and lower the one below it by as much, only visitors who have the value below get another one.';
/** Each value has the first part of its range. */
const PARTIAL_HINT =
  'Raising the percentage gives nobody another value of the split; changing weights also changes who belongs to the percentage.';

const FIELD = 'input, textarea';

/** About the split as a whole; other mistakes are shown at their fields. */
function ListError({ split, errors, pointer }: Pick<SplitEditorProps, 'split' | 'errors' | 'pointer'>) {
  if (split.some((_, index) => errors(`${pointer}/${index}`) !== undefined)) return null;
  const error = errors(pointer);
  if (error === undefined) return null;
  return (
    <Text size="sm" className="bad" role="alert">
      {error}
    </Text>
  );
}
