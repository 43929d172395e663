import '../../ui/style/mantine-form-styles.ts';
import { TagsInput, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { TextArea } from '../../ui/fields/text-area.tsx';
import type { Flag } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { kindOf } from './values/flag-kinds.ts';
import { SchemaField } from './values/schema-field.tsx';
import { ValueInput } from './values/value-input.tsx';

type Details = Pick<Flag, 'description' | 'tags' | 'owner' | 'type' | 'format' | 'schema' | 'defaultValue'>;

interface FlagDetailsFieldsProps {
  flag: Details;
  onChange: (changes: Partial<Details>) => void;
  errors: (pointer: string) => string | undefined;
  disabled: boolean;
}

/** What a new flag and a known one have in common. */
export function FlagDetailsFields({ flag, onChange, errors, disabled }: FlagDetailsFieldsProps) {
  const { flags } = useProperty().configuration;
  const tags = useMemo(() => [...new Set(flags.flatMap((each) => each.tags))].sort(), [flags]);
  return (
    <>
      <ValueInput
        label="Default value"
        description="Served where the flag is off or a prerequisite is not met"
        kind={kindOf(flag)}
        value={flag.defaultValue}
        error={errors('/defaultValue')}
        disabled={disabled}
        onChange={(defaultValue) => onChange({ defaultValue })}
      />
      {flag.format !== undefined && (
        <SchemaField
          schema={flag.schema}
          error={errors('/schema')}
          disabled={disabled}
          onChange={(schema) => onChange({ schema })}
        />
      )}
      <TextArea
        label="Description"
        rows={2}
        maxLength={4096}
        value={flag.description ?? ''}
        error={errors('/description')}
        disabled={disabled}
        onChange={(text) => onChange({ description: text })}
      />
      <TagsInput
        label="Tags"
        data={tags}
        maxTags={20}
        value={flag.tags}
        error={errors('/tags')}
        disabled={disabled}
        onChange={(next) => onChange({ tags: next })}
      />
      <TextInput
        label="Owner"
        placeholder="Name or email address"
        maxLength={256}
        value={flag.owner ?? ''}
        error={errors('/owner')}
        disabled={disabled}
        onChange={(event) => onChange({ owner: event.currentTarget.value || null })}
      />
    </>
  );
}
