import type { AfterChange, Changed } from '../../configuration/writer/configuration-writer.ts';
import { configurationEvent } from './configuration-event.ts';
import { enqueue, type WebhookEvent } from './enqueue.ts';

/** Queues the webhooks of a saved change, in its transaction: they are sent if and only if it was saved. */
export const notifyOfChange: AfterChange = async (database, changed, request) => {
  const { propertyId, current, entries } = changed;
  const last = entries.at(-1);
  // With a property, its webhooks are deleted.
  if (current === undefined || last === undefined || current.webhooks.length === 0) return;
  const { actor, via, comment = null } = request;
  const { at, propertyVersion: version } = last;
  const event = configurationEvent({ propertyId, version, at, actor, via, comment, entries });
  await enqueue(database, propertyId, current.webhooks, event);
  if (via !== 'schedule') return;
  for (const step of scheduledSteps(changed)) await enqueue(database, propertyId, current.webhooks, step);
};

function scheduledSteps({ propertyId, current, entries }: Changed): WebhookEvent<'schedule.executed'>[] {
  return entries.flatMap(({ id, entity: { type, key }, at }) => {
    const test = type === 'split-test' ? current?.splitTests.find((each) => each.key === key) : undefined;
    if (test === undefined && type !== 'flag') return [];
    const subject =
      test === undefined
        ? { splitTestKey: null, status: null, flagKey: key }
        : { splitTestKey: key, status: test.status, flagKey: null };
    const data = { propertyId, ...subject, at };
    return [{ type: 'schedule.executed', data, dedupeKey: `schedule:${id}`, at }];
  });
}
