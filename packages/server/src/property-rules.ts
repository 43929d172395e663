import { resolveFeedbackTypes } from './features/feedback/feedback-type-rules.ts';
import { reportTargeting, resolveFlags, resolveSegments } from './features/flags/flag-rules.ts';
import { resolveGoals } from './features/goals/goal-rules.ts';
import { resolveKeys } from './features/keys/key-rules.ts';
import { resolveEnvironments } from './features/properties/environment-rules.ts';
import { resolveSettings } from './features/properties/settings-rules.ts';
import { reportLostOptions } from './features/split-testing/outcome-rules.ts';
import { resolveSplitTests } from './features/split-testing/split-test-rules.ts';
import { resolveWebhooks } from './features/webhooks/resolve-webhooks.ts';
import type { ResolveProperty } from './storage/changes/property-rules.ts';
import { reportRepeated } from './storage/changes/repeated-entries.ts';
import type { PropertyConfiguration } from './storage/property-configuration.ts';

interface RuleOptions {
  /** Whether webhooks may be sent to private networks. */
  allowPrivateWebhooks: boolean;
}

/** The rules of all features, for code that works on the whole configuration of a property. */
export const propertyRules =
  ({ allowPrivateWebhooks: allowPrivate }: RuleOptions): ResolveProperty =>
  (candidate, stored, context) => {
    const { report } = context;
    const resolvedEnvironments = resolveEnvironments(
      candidate.environments ?? [],
      stored?.environments ?? [],
      context,
    );
    const environments = combine(stored?.environments, resolvedEnvironments, byId);
    const goals = combine(
      stored?.goals,
      resolveGoals(candidate.goals ?? [], stored?.goals ?? [], context),
      byId,
    );
    const resolvedTypes = resolveFeedbackTypes(
      candidate.feedbackTypes ?? [],
      stored?.feedbackTypes ?? [],
      context,
    );
    const feedbackTypes = combine(stored?.feedbackTypes, resolvedTypes, byId);
    const testEntries = candidate.splitTests ?? [];
    reportLostOptions(resolvedTypes, testEntries, stored?.splitTests ?? [], report);
    reportRepeated(testEntries, 'key', '/splitTests', report);
    const splitTests = resolveSplitTests(testEntries, stored?.splitTests ?? [], {
      ...context,
      goalIds: new Set(goals.map(({ id }) => id)),
      feedbackTypes: new Map(feedbackTypes.map((type) => [type.id, type])),
    });
    const entries = { flags: candidate.flags ?? [], segments: candidate.segments ?? [] };
    const flagContext = { ...context, environments };
    const flags = resolveFlags(entries.flags, stored, flagContext);
    const segments = resolveSegments(entries.segments, stored, flagContext);
    reportTargeting(entries, { flags, segments }, stored, report);
    const { keys, generated } = resolveKeys(
      candidate.id,
      candidate.apiKeys ?? [],
      stored?.apiKeys ?? [],
      context,
    );
    const webhooks = resolveWebhooks(candidate.webhooks ?? [], stored?.webhooks ?? [], {
      ...context,
      allowPrivate,
    });
    const property: PropertyConfiguration = {
      ...resolveSettings(candidate, stored, context),
      environments,
      goals,
      feedbackTypes,
      segments: combine(stored?.segments, segments, byId),
      splitTests: combine(stored?.splitTests, splitTests, byKey),
      flags: combine(stored?.flags, flags, byKey),
      apiKeys: combine(stored?.apiKeys, keys, byId),
      webhooks: combine(stored?.webhooks, webhooks, byId),
      members: stored?.members ?? [],
    };
    return { property, generatedKeys: generated };
  };

const byId = (item: { readonly id: string }) => item.id;
const byKey = (item: { readonly key: string }) => item.key;

/** Stored items in their order, replaced by those of the candidate, and then the new ones. */
function combine<T>(stored: readonly T[] = [], resolved: readonly T[], keyOf: (item: T) => string): T[] {
  const changed = new Map(resolved.map((item) => [keyOf(item), item]));
  const kept = stored.map((item) => {
    const replacement = changed.get(keyOf(item));
    changed.delete(keyOf(item));
    return replacement ?? item;
  });
  return [...kept, ...changed.values()];
}
