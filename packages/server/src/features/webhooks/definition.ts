import { ManagedWebhook } from '@switchyard/core/api/management';
import { ProvisionedWebhook } from '@switchyard/core/api/webhooks';
import type { CollectionDefinition } from '../../configuration/definitions/collection-definition.ts';
import { field, texts } from '../../configuration/words/change-words.ts';
import { quoted } from '../../configuration/words/value-words.ts';
import { resolveWebhooks } from './resolve-webhooks.ts';
import { webhookRows } from './webhook-store.ts';

export const webhookDefinition: CollectionDefinition<'webhook'> = {
  type: 'webhook',
  field: 'webhooks',
  keyField: 'id',
  tables: { webhooks: ['property_id', 'id'] },
  rows: webhookRows,
  secret: 'secret',
  resolve: (entries, stored, { settings, ...context }) =>
    resolveWebhooks(entries, stored, { ...context, allowPrivate: settings.allowPrivateWebhooks }),
  words: {
    fields: {
      name: field('Name', quoted),
      url: field('Address'),
      events: texts('Events'),
      enabled: ({ to }) => [to === true ? 'Switched on' : 'Switched off'],
    },
  },
  file: {
    entryOf: ({ createdAt: _createdAt, ...entry }) => entry,
    omittedIfEmpty: true,
  },
  managed: {
    path: 'webhooks',
    body: ProvisionedWebhook,
    response: ManagedWebhook,
    access: 'admin',
    readOnly: ['createdAt', 'secret'],
  },
};
