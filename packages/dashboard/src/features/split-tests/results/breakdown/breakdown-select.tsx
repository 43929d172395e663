import { Button, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Form } from '../../../../ui/fields/form.tsx';
import type { Configuration } from '../../../configuration/configuration-types.ts';
import { useProperty } from '../../../configuration/property-context.tsx';
import { useResultFilters } from '../use-result-filters.ts';

const KNOWN = [
  { value: 'country', label: 'Country' },
  { value: 'device', label: 'Device' },
  { value: 'browser', label: 'Browser' },
  { value: 'os', label: 'Operating system' },
];
const OTHER = '\u0000other';

/** Chooses what to break the results down by. */
export function BreakdownSelect() {
  const { configuration } = useProperty();
  const [{ by }, change] = useResultFilters();
  const [isOther, setOther] = useState(false);
  const [name, setName] = useState('');
  const attributes = attributesIn(configuration).filter((each) => !KNOWN.some(({ value }) => value === each));
  if (by !== '' && !attributes.includes(by) && !KNOWN.some(({ value }) => value === by)) attributes.push(by);
  const data = [
    { group: 'Of the session', items: KNOWN },
    {
      group: 'Attributes of the exposure',
      items: [
        ...attributes.map((value) => ({ value, label: value })),
        { value: OTHER, label: 'Another one …' },
      ],
    },
  ];
  const submit = () => {
    setOther(false);
    change({ by: name.trim() });
  };
  if (isOther) {
    return (
      <Form onSubmit={submit} style={{ display: 'flex', gap: 6 }}>
        <TextInput
          aria-label="Attribute"
          placeholder="Name of an attribute"
          size="xs"
          maxLength={128}
          required
          autoFocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button size="xs" type="submit">
          Break down
        </Button>
        <Button size="xs" variant="default" onClick={() => setOther(false)}>
          Cancel
        </Button>
      </Form>
    );
  }
  return (
    <Select
      aria-label="Break down by"
      placeholder="Break down by …"
      size="xs"
      w={180}
      clearable
      data={data}
      value={by || null}
      onChange={(value) => (value === OTHER ? setOther(true) : change({ by: value ?? '' }))}
    />
  );
}

/** Attributes that rules and segments ask for are probably sent with exposures too. */
function attributesIn({ flags, segments }: Configuration): string[] {
  const rules = flags.flatMap(({ environments }) =>
    Object.values(environments).flatMap((each) => each.rules),
  );
  const conditions = [...rules, ...segments].flatMap((each) => each.conditions ?? []);
  const names = conditions.flatMap((each) => ('attribute' in each && each.attribute ? [each.attribute] : []));
  return [...new Set(names)].sort().slice(0, 50);
}
