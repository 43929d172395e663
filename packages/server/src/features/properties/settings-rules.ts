import { DEFAULT_RETENTION_DAYS } from '@switchyard/core/api/default-retention';
import { DEFAULT_PRIVACY, MAX_PRESET_RETENTION_DAYS } from '@switchyard/core/api/privacy';
import type { ProvisionedProperty } from '@switchyard/core/api/provisioning';
import { DEFAULT_STATISTICS } from '@switchyard/core/api/statistics';
import { AA_TEST_KEY } from '@switchyard/core/lifecycle/aa-test';
import { isTimeZone } from '@switchyard/core/time-zone';
import { newHashSeed } from '../../configuration/database/database.ts';
import type { Report, RuleContext } from '../../configuration/definitions/rule-context.ts';
import type {
  PropertyConfiguration,
  StoredProperty,
} from '../../configuration/property/property-configuration.ts';

const DEFAULT_CURRENCY = 'USD';
const DEFAULT_TIME_ZONE = 'UTC';
/** The settings of the property itself, complete. A missing setting keeps its value. */
export function resolveSettings(
  entry: ProvisionedProperty,
  stored: PropertyConfiguration | undefined,
  { now, report }: Pick<RuleContext, 'now' | 'report'>,
): StoredProperty {
  reportOrigins(entry.allowedOrigins ?? [], report);
  reportAaTest(entry, stored, report);
  if (entry.timeZone !== undefined && !isTimeZone(entry.timeZone)) {
    report('/timeZone', 'must be the name of a time zone, like Europe/Berlin');
  }
  const { allowedOrigins = stored?.allowedOrigins ?? null } = entry;
  // Null means forever, so only a new property gets the default.
  const { retentionDays = stored === undefined ? DEFAULT_RETENTION_DAYS : stored.retentionDays } = entry;
  const privacy = { ...(stored?.privacy ?? DEFAULT_PRIVACY), ...entry.privacy };
  if (privacy.preset !== null && (retentionDays ?? Number.POSITIVE_INFINITY) > MAX_PRESET_RETENTION_DAYS) {
    report(
      '/retentionDays',
      `must be at most ${MAX_PRESET_RETENTION_DAYS} (25 months) with the privacy preset ${privacy.preset}`,
    );
  }
  return {
    id: entry.id,
    name: entry.name ?? stored?.name ?? entry.id,
    retentionDays,
    allowedOrigins,
    hashSeed: entry.hashSeed ?? stored?.hashSeed ?? newHashSeed(),
    holdout: entry.holdout ?? stored?.holdout ?? 0,
    holdoutPeriod: stored?.holdoutPeriod ?? null,
    statistics: { ...(stored?.statistics ?? DEFAULT_STATISTICS), ...entry.statistics },
    aaTest: entry.aaTest ?? stored?.aaTest ?? 'assignment',
    ...((entry.recordEvaluations ?? stored?.recordEvaluations) && { recordEvaluations: true as const }),
    displayCurrency: entry.displayCurrency ?? stored?.displayCurrency ?? DEFAULT_CURRENCY,
    timeZone: entry.timeZone ?? stored?.timeZone ?? DEFAULT_TIME_ZONE,
    privacy,
    createdAt: stored?.createdAt ?? now,
    version: stored?.version ?? 0,
  };
}

/** The built-in test and one of the property cannot have the same key. */
function reportAaTest(
  entry: ProvisionedProperty,
  stored: PropertyConfiguration | undefined,
  report: Report,
): void {
  if ((entry.aaTest ?? stored?.aaTest) !== 'exposures') return;
  const index = entry.splitTests?.findIndex(({ key }) => key === AA_TEST_KEY) ?? -1;
  if (index >= 0) {
    report(
      `/splitTests/${index}/key`,
      `"${AA_TEST_KEY}" is the key of the built-in A/A test; use another key, or set aaTest to assignment or off`,
    );
  } else if (stored?.splitTests.some(({ key }) => key === AA_TEST_KEY)) {
    report(
      '/aaTest',
      `cannot be exposures: the property has a split test of its own with the key "${AA_TEST_KEY}"`,
    );
  }
}

function reportOrigins(origins: readonly string[], report: Report): void {
  for (const [index, origin] of origins.entries()) {
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    // URL cannot parse the origin of custom schemes (such as an app's), so only its format is checked.
    const valid =
      url?.origin === 'null' ? /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s*]+$/.test(origin) : url?.origin === origin;
    if (!valid)
      report(
        `/allowedOrigins/${index}`,
        'must be an origin like https://shop.example, without a path or a trailing slash',
      );
  }
}
