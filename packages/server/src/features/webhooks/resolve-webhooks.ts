import type { ProvisionedWebhook } from '@switchyard/core/api/webhooks';
import { reportRepeated } from '../../configuration/definitions/repeated-entries.ts';
import type { RuleContext } from '../../configuration/definitions/rule-context.ts';
import type { Webhook } from '../../configuration/property/property-configuration.ts';
import { checkWebhook } from './webhook-rules.ts';
import { newWebhookSecret } from './webhook-signature.ts';

interface Context extends Pick<RuleContext, 'mode' | 'now' | 'report'> {
  allowPrivate: boolean;
}

/** The webhooks of the candidate, complete. */
export function resolveWebhooks(
  entries: readonly ProvisionedWebhook[],
  stored: readonly Webhook[],
  context: Context,
): Webhook[] {
  const { mode, now, report } = context;
  reportRepeated(entries, 'id', '/webhooks', report);
  return entries.map((entry, index) => {
    const path = `/webhooks/${index}`;
    const known = stored.find(({ id }) => id === entry.id);
    const base = mode === 'merge' ? known : undefined;
    const name = entry.name ?? base?.name;
    const webhook: Webhook = {
      id: entry.id,
      ...(name === undefined ? {} : { name }),
      url: entry.url ?? base?.url ?? '',
      events: entry.events ?? base?.events ?? [],
      enabled: entry.enabled ?? base?.enabled ?? true,
      secret: known?.secret ?? newWebhookSecret(),
      version: known?.version ?? 0,
      createdAt: known?.createdAt ?? now,
    };
    if (webhook.url === '') report(`${path}/url`, 'is missing: a webhook needs a URL');
    else checkWebhook(webhook, context, (pointer, message) => report(path + pointer, message));
    return webhook;
  });
}
