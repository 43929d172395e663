import { type Static, Type } from 'typebox';
import { Email, NewPassword, PersonName } from './accounts.ts';
import { namedObject, nullable, Success } from './common.ts';
import { MemberRole } from './roles.ts';

const closed = { additionalProperties: false } as const;

const propertyParam = { propertyId: Type.String({ minLength: 1, maxLength: 128 }) };
export const ManagedPropertyParams = Type.Object(propertyParam);
export type ManagedPropertyParams = Static<typeof ManagedPropertyParams>;

const MEMBER = {
  accountId: 'acc_5f2b8c1d9e3a4b6c7d8e9f01',
  email: 'ada@shop.example',
  name: 'Ada Lovelace',
  role: 'admin' as const,
  disabled: false,
  createdAt: 1767225600000,
  version: 1,
};

export const PropertyMember = Type.Object(
  {
    accountId: Type.String(),
    email: Type.String(),
    name: Type.String(),
    role: MemberRole,
    disabled: Type.Boolean({ description: 'The account is disabled' }),
    createdAt: Type.Integer({ description: 'Unix milliseconds' }),
    version: Type.Integer(),
  },
  { title: 'PropertyMember', examples: [MEMBER] },
);
export type PropertyMember = Static<typeof PropertyMember>;

export const PropertyMembers = Type.Object(
  { members: Type.Array(PropertyMember, { description: 'Owners have access without being listed' }) },
  { title: 'PropertyMembers', examples: [{ members: [MEMBER] }] },
);
export type PropertyMembers = Static<typeof PropertyMembers>;

export const MemberParams = Type.Object({
  ...propertyParam,
  accountId: Type.String({ minLength: 1, maxLength: 64 }),
});
export type MemberParams = Static<typeof MemberParams>;

/** In a choice of responses, where a schema keeps its description. */
export const MemberRemoved = namedObject('MemberRemoved', Success.properties);

export const MemberBody = Type.Object(
  { role: MemberRole },
  { title: 'MemberBody', ...closed, examples: [{ role: 'editor' }] },
);
export type MemberBody = Static<typeof MemberBody>;

const invitationMembers = {
  id: Type.String(),
  email: Type.String(),
  role: MemberRole,
  createdAt: Type.Integer({ description: 'Unix milliseconds' }),
  expiresAt: Type.Integer({ description: 'Unix milliseconds' }),
};
const INVITATION = {
  id: 'inv_1c2d3e4f5a6b7c8d9e0f1a2b',
  email: 'grace@shop.example',
  role: 'editor' as const,
  createdAt: 1767225600000,
  expiresAt: 1767830400000,
};

export const Invitations = Type.Object(
  {
    invitations: Type.Array(namedObject('Invitation', invitationMembers), {
      description: 'Not yet used, revoked or expired',
    }),
  },
  { title: 'Invitations', examples: [{ invitations: [INVITATION] }] },
);
export type Invitations = Static<typeof Invitations>;

export const InvitationParams = Type.Object({
  ...propertyParam,
  id: Type.String({ minLength: 1, maxLength: 64 }),
});
export type InvitationParams = Static<typeof InvitationParams>;

export const InviteBody = Type.Object(
  { email: Email, role: MemberRole },
  { title: 'InviteBody', ...closed, examples: [{ email: 'grace@shop.example', role: 'editor' }] },
);
export type InviteBody = Static<typeof InviteBody>;

export const CreatedInvitation = Type.Object(
  {
    ...invitationMembers,
    url: nullable(
      Type.String({ description: 'The link to pass on. Not shown again: null for a repeated request' }),
    ),
  },
  {
    title: 'CreatedInvitation',
    examples: [{ ...INVITATION, url: 'https://switchyard.example/invitation#token=kZ3v…' }],
  },
);
export type CreatedInvitation = Static<typeof CreatedInvitation>;

const InvitationToken = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'The part of the link after `#token=`',
});

export const InvitationLookupBody = Type.Object(
  { token: InvitationToken },
  { title: 'InvitationLookupBody', ...closed, examples: [{ token: 'kZ3v…' }] },
);
export type InvitationLookupBody = Static<typeof InvitationLookupBody>;

export const InvitationPreview = Type.Object(
  {
    property: namedObject('InvitationProperty', { id: Type.String(), name: Type.String() }),
    email: Type.String(),
    role: MemberRole,
    expiresAt: Type.Integer({ description: 'Unix milliseconds' }),
    accountExists: Type.Boolean({
      description: 'If true, sign in as that account before accepting; if not, choose a password',
    }),
  },
  {
    title: 'InvitationPreview',
    examples: [
      {
        property: { id: 'shop', name: 'Shop' },
        email: 'grace@shop.example',
        role: 'editor',
        expiresAt: 1767830400000,
        accountExists: false,
      },
    ],
  },
);
export type InvitationPreview = Static<typeof InvitationPreview>;

export const AcceptInvitationBody = Type.Object(
  {
    token: InvitationToken,
    name: Type.Optional(PersonName),
    password: Type.Optional(NewPassword),
  },
  {
    title: 'AcceptInvitationBody',
    ...closed,
    examples: [{ token: 'kZ3v…', name: 'Grace Hopper', password: 'correct horse battery staple' }],
  },
);
export type AcceptInvitationBody = Static<typeof AcceptInvitationBody>;
