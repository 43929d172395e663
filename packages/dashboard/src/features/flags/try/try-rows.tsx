import { Group, Stack, TextInput } from '@mantine/core';
import { useId } from 'react';
import { AddButton } from '../../../ui/fields/add-button.tsx';
import { useRowKeys } from '../../../ui/hooks/use-row-keys.ts';
import { IconButton } from '../../../ui/page/icon-button.tsx';
import { useAttributeNames } from '../../targeting/use-attribute-names.ts';
import classes from './try-flag.module.css';
import type { TryInput } from './try-input.ts';

type Rows = TryInput['rows'];

/** Attributes as names and values. */
export function TryRows({ rows, onChange }: { rows: Rows; onChange: (rows: Rows) => void }) {
  const names = useAttributeNames();
  const suggestions = useId();
  const { keys, remove } = useRowKeys(rows.length);
  return (
    <Stack gap={6}>
      <datalist id={suggestions}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {rows.map((row, index) => (
        <div key={keys[index]} className={classes.row}>
          <TextInput
            aria-label={`Attribute ${index + 1}`}
            placeholder="Attribute"
            list={suggestions}
            value={row.name}
            onChange={(event) => onChange(rows.with(index, { ...row, name: event.currentTarget.value }))}
          />
          <TextInput
            aria-label={row.name === '' ? `Value ${index + 1}` : `Value of ${row.name}`}
            placeholder="missing"
            value={row.value}
            onChange={(event) => onChange(rows.with(index, { ...row, value: event.currentTarget.value }))}
          />
          <IconButton
            icon="close"
            size="lg"
            aria-label={`Remove attribute ${index + 1}`}
            onClick={() => {
              remove(index);
              onChange(rows.filter((_, each) => each !== index));
            }}
          />
        </div>
      ))}
      <Group>
        <AddButton onClick={() => onChange([...rows, { name: '', value: '' }])}>Add attribute</AddButton>
      </Group>
    </Stack>
  );
}
