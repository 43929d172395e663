import { keyedRows } from '../../configuration/definitions/keyed-rows.ts';
import type { Webhook } from '../../configuration/property/property-configuration.ts';

export const webhookRows = keyedRows('webhooks', {
  toItem: (row): Webhook => ({
    id: row.id,
    ...(row.name === null ? {} : { name: row.name }),
    url: row.url,
    events: JSON.parse(row.events),
    enabled: row.enabled === 1,
    secret: row.secret,
    version: row.version,
    createdAt: row.created_at,
  }),
  toColumns: ({ name, url, events, enabled, secret, version }) => ({
    name: name ?? null,
    url,
    events: JSON.stringify(events),
    enabled: enabled ? 1 : 0,
    secret,
    version,
  }),
});

export const listWebhooks = webhookRows.list;
