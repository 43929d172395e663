import { type Static, Type } from 'typebox';
import { NextCursor, namedObject, nullable, PageCursor, PageLimit } from './common.ts';
import { EMAIL, MAX_EMAIL_LENGTH } from './email-format.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './limits/password-limits.ts';
import { Role } from './roles.ts';

const closed = { additionalProperties: false } as const;

export const Email = Type.String({
  maxLength: MAX_EMAIL_LENGTH,
  pattern: EMAIL,
  description: 'Upper and lower case do not matter',
  examples: ['ada@shop.example'],
});

/** Needs the flag `u`. */
export const PERSON_NAME = '^[^\\p{Cc}\\p{Cs}]{1,128}$';
export const PersonName = Type.String({
  pattern: PERSON_NAME,
  description: 'One line of at most 128 characters',
  examples: ['Ada Lovelace'],
});

export const NewPassword = Type.String({
  minLength: MIN_PASSWORD_LENGTH,
  maxLength: MAX_PASSWORD_LENGTH,
  examples: ['correct horse battery staple'],
});
/** Not the limits of a new one: a wrong password is no malformed request. */
const GivenPassword = Type.String({ minLength: 1, maxLength: MAX_PASSWORD_LENGTH });
const GivenCode = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'A code of the authenticator app, or a recovery code',
  examples: ['492039'],
});

const ACCOUNT = {
  id: 'acc_5f2b8c1d9e3a4b6c7d8e9f01',
  email: 'ada@shop.example',
  name: 'Ada Lovelace',
  isOwner: true,
  hasPassword: true,
  twoFactor: false,
  disabledAt: null,
  createdAt: 1767225600000,
};

export const Account = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    isOwner: Type.Boolean(),
    hasPassword: Type.Boolean({ description: 'False: signs in with OpenID Connect only' }),
    twoFactor: Type.Boolean({ description: 'Whether signing in asks for a code' }),
    disabledAt: nullable(Type.Integer({ description: 'Unix milliseconds' })),
    createdAt: Type.Integer({ description: 'Unix milliseconds' }),
  },
  { title: 'Account', examples: [ACCOUNT] },
);
export type Account = Static<typeof Account>;

export const SignedIn = Type.Object(
  { account: Account },
  { title: 'SignedIn', examples: [{ account: ACCOUNT }] },
);
export type SignedIn = Static<typeof SignedIn>;

export const SetupState = Type.Object(
  {
    needsOwner: Type.Boolean({ description: 'Whether the first owner still has to be created' }),
    oidc: Type.Boolean({ description: 'Whether people can sign in with OpenID Connect' }),
  },
  { title: 'SetupState', examples: [{ needsOwner: false, oidc: false }] },
);
export type SetupState = Static<typeof SetupState>;

export const SetupBody = Type.Object(
  { email: Email, password: NewPassword, name: Type.Optional(PersonName) },
  {
    title: 'SetupBody',
    ...closed,
    examples: [{ email: 'ada@shop.example', password: 'correct horse battery staple' }],
  },
);
export type SetupBody = Static<typeof SetupBody>;

export const SignInBody = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: MAX_EMAIL_LENGTH }),
    password: GivenPassword,
    code: Type.Optional(GivenCode),
  },
  {
    title: 'SignInBody',
    ...closed,
    examples: [{ email: 'ada@shop.example', password: 'correct horse battery staple', code: '492039' }],
  },
);
export type SignInBody = Static<typeof SignInBody>;

export const OidcStartQuery = Type.Object({
  returnTo: Type.Optional(
    Type.String({ maxLength: 500, description: 'Path of the dashboard to open afterwards' }),
  ),
});
export type OidcStartQuery = Static<typeof OidcStartQuery>;

export const Me = Type.Object(
  {
    account: Account,
    via: Type.String({ enum: ['dashboard', 'token'], description: 'The credential of this request' }),
    roles: Type.Unsafe<Record<string, Role>>({
      type: 'object',
      additionalProperties: Role,
      description: 'By property id; with an access token, what the token may do',
    }),
    dataDelayedSince: nullable(
      Type.Integer({
        description:
          'While figures are late: when the oldest event was received that is stored, but not counted yet, because the event store was unavailable',
      }),
    ),
  },
  {
    title: 'Me',
    examples: [{ account: ACCOUNT, via: 'dashboard', roles: { shop: 'owner' }, dataDelayedSince: null }],
  },
);
export type Me = Static<typeof Me>;

export const PatchMeBody = Type.Object(
  {
    name: Type.Optional(PersonName),
    password: Type.Optional(
      Type.Object({ current: GivenPassword, next: NewPassword }, { title: 'PasswordChange', ...closed }),
    ),
  },
  {
    title: 'PatchMeBody',
    ...closed,
    minProperties: 1,
    examples: [{ name: 'Ada King' }],
  },
);
export type PatchMeBody = Static<typeof PatchMeBody>;

export const AccountSession = namedObject('AccountSession', {
  id: Type.String(),
  current: Type.Boolean({ description: 'The session of this request' }),
  createdAt: Type.Integer(),
  lastSeenAt: Type.Integer({ description: 'Up to five minutes old' }),
  userAgent: nullable(Type.String()),
  address: Type.String({ description: 'Client address at sign-in' }),
});
export const AccountSessions = Type.Object(
  { sessions: Type.Array(AccountSession) },
  {
    title: 'AccountSessions',
    examples: [
      {
        sessions: [
          {
            id: 'ses_0f3a5b7c9d1e2f3a4b5c6d7e',
            current: true,
            createdAt: 1767225600000,
            lastSeenAt: 1767229200000,
            userAgent: 'Mozilla/5.0 (X11; Linux x86_64)',
            address: '192.0.2.7',
          },
        ],
      },
    ],
  },
);
export type AccountSessions = Static<typeof AccountSessions>;

export const AccountSessionParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) });
export type AccountSessionParams = Static<typeof AccountSessionParams>;

export const AccountsQuery = Type.Object({ limit: PageLimit, cursor: PageCursor });
export type AccountsQuery = Static<typeof AccountsQuery>;
export const AccountsPage = Type.Object(
  { accounts: Type.Array(Account), nextCursor: NextCursor },
  { title: 'AccountsPage', examples: [{ accounts: [ACCOUNT], nextCursor: null }] },
);
export type AccountsPage = Static<typeof AccountsPage>;

export const AccountParams = Type.Object({ accountId: Type.String({ minLength: 1, maxLength: 64 }) });
export type AccountParams = Static<typeof AccountParams>;

export const PatchAccountBody = Type.Object(
  {
    disabled: Type.Optional(
      Type.Boolean({ description: 'A disabled account cannot sign in, and its tokens do not work' }),
    ),
    owner: Type.Optional(Type.Boolean()),
    name: Type.Optional(PersonName),
  },
  { title: 'PatchAccountBody', ...closed, minProperties: 1, examples: [{ disabled: true }] },
);
export type PatchAccountBody = Static<typeof PatchAccountBody>;

export const TwoFactorState = Type.Object(
  {
    enabled: Type.Boolean(),
    recoveryCodes: Type.Integer({ description: 'How many are left' }),
  },
  { title: 'TwoFactorState', examples: [{ enabled: true, recoveryCodes: 10 }] },
);
export type TwoFactorState = Static<typeof TwoFactorState>;

export const TwoFactorSecret = Type.Object(
  {
    secret: Type.String({ description: 'Base32, for typing it into an authenticator app' }),
    uri: Type.String({ description: 'The same as an `otpauth:` URI, for a QR code' }),
  },
  {
    title: 'TwoFactorSecret',
    examples: [
      {
        secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        uri: 'otpauth://totp/Switchyard:ada%40shop.example?issuer=Switchyard&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      },
    ],
  },
);
export type TwoFactorSecret = Static<typeof TwoFactorSecret>;

export const ConfirmTwoFactorBody = Type.Object(
  { code: GivenCode },
  { title: 'ConfirmTwoFactorBody', ...closed, examples: [{ code: '492039' }] },
);
export type ConfirmTwoFactorBody = Static<typeof ConfirmTwoFactorBody>;

export const RecoveryCodes = Type.Object(
  { recoveryCodes: Type.Array(Type.String(), { description: 'Each works once. Not shown again' }) },
  { title: 'RecoveryCodes', examples: [{ recoveryCodes: ['k3ub-7dql-m2xa-pe5r'] }] },
);
export type RecoveryCodes = Static<typeof RecoveryCodes>;

export const RemoveTwoFactorBody = Type.Object(
  { password: Type.Optional(GivenPassword), code: Type.Optional(GivenCode) },
  { title: 'RemoveTwoFactorBody', ...closed, minProperties: 1, examples: [{ code: '492039' }] },
);
export type RemoveTwoFactorBody = Static<typeof RemoveTwoFactorBody>;

export const DeleteMeBody = Type.Object(
  { password: Type.Optional(GivenPassword), code: Type.Optional(GivenCode) },
  { title: 'DeleteMeBody', ...closed, examples: [{ password: 'correct horse battery staple' }] },
);
export type DeleteMeBody = Static<typeof DeleteMeBody>;

export const DeletedAccount = Type.Object(
  {
    number: Type.Integer({ description: 'The history calls the account by it, like `deleted account 3`' }),
    remaining: Type.Array(
      namedObject('RemainingEmail', {
        propertyId: Type.String(),
        items: Type.Array(Type.String(), { examples: [['flag "new-checkout"']] }),
      }),
      { description: 'Where the email address remains, because the present configuration has it' },
    ),
  },
  { title: 'DeletedAccount', examples: [{ number: 3, remaining: [] }] },
);
export type DeletedAccount = Static<typeof DeletedAccount>;
