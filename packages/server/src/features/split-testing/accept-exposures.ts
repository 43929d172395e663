import type { ExposeBody } from '@switchyard/core/api/split-testing';
import type { Cleaner } from '@switchyard/core/cleaning/create-cleaner';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { AcceptedExposures, Exposure } from '../../events/store/accepted-request.ts';
import { eventTime } from '../../http/contract/client-time.ts';
import type { Metrics } from '../../http/monitoring/metrics.ts';
import { exposableTests } from './published-config.ts';

/** Drops unknown tests and variations; `undefined` if there are no others. Stopped tests still count, because browsers cache definitions. */
export function acceptExposures(
  property: PropertyConfiguration,
  given: ExposeBody['exposures'],
  fromBot: boolean,
  metrics: Metrics,
  cleaner: Cleaner,
): AcceptedExposures | undefined {
  const receivedAt = Date.now();
  const tests = exposableTests(property, receivedAt);
  const exposures: Exposure[] = [];
  for (const { splitTestKey, variationKey, sessionId, timestamp, phase, bot, attributes } of given) {
    const test = tests.get(splitTestKey);
    if (test?.variationKeys.has(variationKey)) {
      const { at, clientAt } = eventTime(timestamp, receivedAt);
      const exposure: Exposure = { splitTestKey, variationKey, sessionId, at };
      if (clientAt !== undefined) exposure.clientAt = clientAt;
      // No visitor can have been assigned in a phase that has not started.
      if (phase !== undefined && phase <= test.latestPhase) exposure.phase = phase;
      if (bot || fromBot) exposure.bot = true;
      if (attributes !== undefined) exposure.attributes = cleaner.json(attributes);
      exposures.push(exposure);
    } else {
      metrics.dropped(test === undefined ? 'unknown_split_test' : 'unknown_variation', 1);
    }
  }
  if (exposures.length === 0) return undefined;
  return { kind: 'exposures', propertyId: property.id, receivedAt, exposures };
}
