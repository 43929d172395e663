import { type Static, Type } from 'typebox';
import { namedObject } from './common.ts';

/** The body of every error response: RFC 9457, with extensions that our clients read. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'URL of the documentation of this error' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    requestId: Type.String({
      description: 'Same as the `x-request-id` header; include it in support requests',
    }),
    success: Type.Literal(false),
    error: namedObject('ProblemError', {
      code: Type.String({ title: 'ErrorCode', description: 'Stable error code, for use in programs' }),
      message: Type.String(),
    }),
    errors: Type.Optional(
      Type.Array(
        namedObject('FieldError', {
          pointer: Type.String({
            description:
              'JSON Pointer to the invalid field, or a slash followed by the name of the parameter or header',
          }),
          code: Type.String(),
          detail: Type.String(),
        }),
        { description: 'All invalid fields of the request' },
      ),
    ),
    current: Type.Optional(
      Type.Unsafe<object>({ type: 'object', description: '`version_conflict`: the item as it is now' }),
    ),
    conflicts: Type.Optional(
      Type.Array(Type.String(), {
        description: '`version_conflict`: JSON Pointers of the fields that were changed by others too',
      }),
    ),
    references: Type.Optional(
      Type.Array(namedObject('Reference', { type: Type.String(), key: Type.String() }), {
        description: '`in_use`: the items that refer to it',
      }),
    ),
    allowed: Type.Optional(
      Type.Array(Type.String(), { description: '`transition_not_allowed`: what is possible instead' }),
    ),
  },
  {
    $id: 'Problem',
    description: 'An error (RFC 9457)',
    examples: [
      {
        type: '/docs/errors#invalid_request',
        title: 'Invalid request',
        status: 400,
        detail: '/goalId is required.',
        requestId: 'IyeN2Bwi-5',
        success: false,
        error: { code: 'invalid_request', message: '/goalId is required.' },
        errors: [{ pointer: '/goalId', code: 'required', detail: 'is required' }],
      },
    ],
  },
);
export type Problem = Static<typeof Problem>;

export type FieldError = NonNullable<Problem['errors']>[number];

/** Members that only some errors have. */
export type ProblemDetails = Partial<Pick<Problem, 'current' | 'conflicts' | 'references' | 'allowed'>>;
