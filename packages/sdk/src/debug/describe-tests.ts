import { narrateAssignment } from '../narration/narrate-assignment.ts';
import type { ClientState, TestState } from './client-state.ts';

export interface ShownTest {
  testKey: string;
  /** `undefined`: there is no such test, or the visitor is not known yet. */
  variationKey: string | undefined;
  reason: string;
  exposure: TestState['exposure'] | 'unread' | 'unknown';
  isPreview: boolean;
}

/** Every test: those that the page has read, and what the visitor would get in the others. */
export function describeTests(state: ClientState): ShownTest[] {
  const { definitions, tests } = state;
  const unread = definitions?.config.tests.filter(({ key }) => !tests.has(key)) ?? [];
  return [
    ...[...tests.values()].map(
      ({ testKey, choice, reason, exposure }): ShownTest => ({
        testKey,
        variationKey: choice?.variationKey,
        reason,
        exposure: choice ? exposure : 'unknown',
        isPreview: choice?.preview ?? false,
      }),
    ),
    ...unread.map(({ key }) => describeUnread(state, key)),
  ];
}

function describeUnread(
  { definitions, visitorId, userId, serverExposures }: ClientState,
  testKey: string,
): ShownTest {
  const { tests, holdout } = definitions!.config;
  const test = tests.find(({ key }) => key === testKey)!;
  const exposure = serverExposures.has(testKey) ? 'server' : 'unread';
  if (!visitorId) return { testKey, variationKey: undefined, reason: '', exposure, isPreview: false };
  const previewKey = new URLSearchParams(location.search).get(`sy_${testKey}`);
  const { variationKey, words } = narrateAssignment(test, visitorId, { holdout, previewKey, userId });
  return {
    testKey,
    variationKey: variationKey ?? undefined,
    reason: words,
    exposure,
    isPreview: previewKey !== null && variationKey === previewKey,
  };
}
