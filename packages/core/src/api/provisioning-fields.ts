import { Type } from 'typebox';

// A misspelt field in a file is a mistake, so nothing unknown is let through.
export const noExtraFields = { additionalProperties: false } as const;

export const ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$';

// `x-hint` says in words what a pattern says in signs; messages show it.
export const Id = (description: string) =>
  Type.String({
    pattern: ID_PATTERN,
    description,
    'x-hint': 'must be 1 to 128 letters, digits, ".", "_" or "-", and start with a letter or digit',
  });

/** One line of text: no control characters, which a terminal would obey and PostgreSQL refuses. */
export const Line = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[^\\p{Cc}\\p{Cs}]*$',
    description,
    'x-hint': 'must be one line of text without control characters',
  });

export const Name = Line(256, 'Name that people read; the id unless said');
