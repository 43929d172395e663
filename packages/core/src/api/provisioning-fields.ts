import { Type } from 'typebox';

// Unknown fields in a file are rejected, because they are usually misspelled.
export const noExtraFields = { additionalProperties: false } as const;

export const ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$';

// `x-hint` explains a pattern in words; error messages show it.
export const Id = (description: string) =>
  Type.String({
    pattern: ID_PATTERN,
    description,
    'x-hint': 'must be 1 to 128 letters, digits, ".", "_" or "-", and start with a letter or digit',
  });

/** One line of text. Control characters could manipulate terminals, and PostgreSQL rejects some of them. */
export const Line = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[^\\p{Cc}\\p{Cs}]*$',
    description,
    'x-hint': 'must be one line of text without control characters',
  });

export const Name = Line(256, 'Display name; default: the id');
