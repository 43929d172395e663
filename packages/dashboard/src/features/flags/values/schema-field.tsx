import { sameJson } from '@switchyard/core/merge/json-value';
import { useState } from 'react';
import { JsonField } from '../../../ui/fields/json-field.tsx';
import type { FlagSchema } from './schema-text.ts';
import { schemaOf, schemaText } from './schema-text.ts';

interface SchemaFieldProps {
  schema: FlagSchema | undefined;
  onChange: (schema: FlagSchema | undefined) => void;
  error: string | undefined;
  disabled: boolean;
}

/** The JSON schema of a flag's values. */
export function SchemaField({ schema, onChange, error, disabled }: SchemaFieldProps) {
  const [text, setText] = useState(() => schemaText(schema));
  // As it is typed, unless the schema is meanwhile another one.
  const isOwn = sameJson(schemaOf(text), schema);
  return (
    <JsonField
      label="JSON schema"
      description="Optional: what all values must fit, checked when the flag is saved"
      isOptional
      value={isOwn ? text : schemaText(schema)}
      error={error}
      disabled={disabled}
      onChange={(next) => {
        setText(next);
        onChange(schemaOf(next));
      }}
    />
  );
}
