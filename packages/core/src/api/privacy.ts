import { type Static, Type } from 'typebox';
import { namedObject, nullable, oneOf } from './common.ts';
import { closed } from './provisioning-fields.ts';

/** What a property records of URLs, texts and people; omitted fields stay unchanged. */
export const ProvisionedPrivacy = Type.Object(
  {
    allowedParameters: Type.Optional(
      Type.Array(
        Type.String({
          pattern: '^[^\\s&;=?#]{1,128}$',
          'x-hint': 'must be the name of a query parameter, like page or q',
        }),
        {
          uniqueItems: true,
          maxItems: 100,
          description:
            'Names of query parameters that are recorded, besides `utm_…`, `ref`, `source` and the presence of click ids; default: none',
        },
      ),
    ),
    maskValues: Type.Optional(
      Type.Boolean({
        description:
          'Whether what looks like an email address, a token or a card number is masked in URLs, titles, attributes and properties; default: `true`',
      }),
    ),
    preset: Type.Optional(
      nullable(
        oneOf(['cnil'], {
          description:
            '`cnil`: no user ids are stored, referrers are reduced to their origin, and events are kept for at most 25 months; default: null',
        }),
      ),
    ),
  },
  closed('ProvisionedPrivacy'),
);

export type ProvisionedPrivacy = Static<typeof ProvisionedPrivacy>;

/** 25 months, the most that the preset allows. */
export const MAX_PRESET_RETENTION_DAYS = 761;

export type PrivacySettings = Readonly<Required<Static<typeof ProvisionedPrivacy>>>;

export const DEFAULT_PRIVACY: PrivacySettings = Object.freeze({
  allowedParameters: [],
  maskValues: true,
  preset: null,
});

/** Sessions that a preview looks at. */
export const MAX_PREVIEW_SESSIONS = 500;
export const MAX_PREVIEW_URLS = 50;

export const PrivacyPreview = Type.Object(
  {
    sessions: Type.Integer({
      description: `Sessions of the last 24 hours whose URLs were looked at; at most the newest ${MAX_PREVIEW_SESSIONS}`,
    }),
    urls: Type.Integer({ description: 'Their first and last URLs and their referrers, each counted once' }),
    changed: Type.Array(
      namedObject('PreviewedUrl', {
        before: Type.String({ description: 'As it is stored' }),
        after: Type.String({ description: 'As it would have been stored' }),
        sessions: Type.Integer(),
      }),
      {
        description: `Those that would be stored otherwise, most frequent first; at most ${MAX_PREVIEW_URLS}`,
      },
    ),
    removedToday: Type.Array(
      namedObject('RemovedParameter', { name: Type.String(), count: Type.Integer() }),
      {
        description:
          'Names of parameters that were removed since midnight (UTC), most frequent first, as far as the process that answers knows. Values are not kept, and parameters that the SDK removes in the page are not sent',
      },
    ),
  },
  {
    title: 'PrivacyPreview',
    examples: [
      {
        sessions: 1,
        urls: 2,
        changed: [
          { before: 'https://shop.example/?q=red+shoes', after: 'https://shop.example/', sessions: 1 },
        ],
        removedToday: [{ name: 'token', count: 3 }],
      },
    ],
  },
);
export type PrivacyPreview = Static<typeof PrivacyPreview>;
