import { type Static, Type } from 'typebox';
import { namedObject, nullable } from './common.ts';
import { Role } from './roles.ts';

// Without examples: the OpenAPI generator takes a member named `properties` in an example for a schema.
const tokenMembers = {
  id: Type.String(),
  name: Type.String(),
  role: Role,
  properties: nullable(Type.Array(Type.String(), { description: 'Null: all properties of the account' })),
  expiresAt: Type.Integer({ description: 'Unix milliseconds' }),
  createdAt: Type.Integer({ description: 'Unix milliseconds' }),
  lastUsedAt: nullable(Type.Integer({ description: 'Unix milliseconds; up to a minute old' })),
  prefix: Type.String({ description: 'First characters, to recognise the token' }),
  lastFour: Type.String(),
};

export const AccessToken = namedObject('AccessToken', tokenMembers);
export type AccessToken = Static<typeof AccessToken>;

export const AccessTokens = Type.Object({ tokens: Type.Array(AccessToken) }, { title: 'AccessTokens' });
export type AccessTokens = Static<typeof AccessTokens>;

export const TokenParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) });
export type TokenParams = Static<typeof TokenParams>;

export const CreateTokenBody = Type.Object(
  {
    name: Type.String({
      pattern: '^[^\\p{Cc}\\p{Cs}]{1,128}$',
      description: 'What the token is for: one line of at most 128 characters',
    }),
    role: Role,
    expiresAt: Type.Integer({
      minimum: 0,
      description: 'Unix milliseconds, in the future and at most a year ahead',
    }),
    properties: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: 'Default: all properties of the account',
      }),
    ),
  },
  {
    title: 'CreateTokenBody',
    additionalProperties: false,
    examples: [{ name: 'CI', role: 'editor', expiresAt: 1798761600000 }],
  },
);
export type CreateTokenBody = Static<typeof CreateTokenBody>;

export const CreatedToken = Type.Object(
  {
    ...tokenMembers,
    token: nullable(
      Type.String({ description: 'The whole token. Not shown again: null for a repeated request' }),
    ),
  },
  { title: 'CreatedToken' },
);
export type CreatedToken = Static<typeof CreatedToken>;
