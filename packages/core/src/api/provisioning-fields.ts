import { Type } from 'typebox';
import { nullable } from './common.ts';

// Unknown fields in a file are rejected, because they are usually misspelled.
/** Options of an object with a name in the OpenAPI document. */
export const closed = (title: string) => ({ title, additionalProperties: false }) as const;

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

/** Text of any number of lines. */
export const Text = (maxLength: number, description: string) =>
  Type.String({ maxLength, pattern: '^[^\\u0000\\p{Cs}]*$', description, 'x-hint': 'must be text' });

/** Whether a text is a valid time is checked when the file is read. */
export const Time = (description: string) =>
  Type.Union([TimeText, Type.Number()], { description: `${description}: ${TIME_FORMATS}` });

export const NullableTime = (description: string) =>
  Type.Union([TimeText, Type.Number(), Type.Null()], {
    description: `${description}: ${TIME_FORMATS}; default: null (none)`,
  });

const TIME_FORMATS = 'ISO 8601 (default zone: UTC) or Unix milliseconds';
const TimeText = Type.String({ maxLength: 64 });

export const Tags = Type.Array(Line(64, 'Tag'), {
  maxItems: 20,
  uniqueItems: true,
  description: 'For grouping and search; default: none',
});

export const Owner = nullable(Line(256, 'Who is responsible: an email address or a name; default: null'));
