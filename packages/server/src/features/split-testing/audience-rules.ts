import type { Audience } from '@switchyard/core/api/audience';
import type { Segment } from '@switchyard/core/api/targeting';
import { checkAudience } from '@switchyard/core/evaluation/audience-checks';
import type { Report } from '../../configuration/definitions/rule-context.ts';
import type { SplitTest } from '../../configuration/property/property-configuration.ts';
import { compileRuleRegex } from '../../platform/rule-regex.ts';

interface AudienceCheck {
  /** The tests of the candidate, whose indices are those of the request. */
  tests: readonly SplitTest[];
  stored: readonly SplitTest[];
  /** Those of the candidate. */
  changedSegments: readonly Segment[];
  /** Those that the property will have. */
  segments: readonly Segment[];
  report: Report;
}

/** Reports audiences that pages could not evaluate: of the given tests, and of others whose segments change. */
export function reportAudiences({ tests, stored, changedSegments, segments, report }: AudienceCheck): void {
  for (const [index, { audience }] of tests.entries()) {
    for (const { path, message } of mistakesIn(
      audience,
      `/splitTests/${index}/audience/conditions`,
      segments,
    ))
      report(path, message);
  }
  if (changedSegments.length === 0) return;
  const given = new Set(tests.map(({ key }) => key));
  for (const { key, audience, status } of stored) {
    if (given.has(key) || status === 'archived') continue;
    for (const { message } of mistakesIn(audience, '', segments))
      report('', `would break the audience of the split test "${key}": ${message}`);
  }
}

const mistakesIn = (audience: Audience | undefined, path: string, segments: readonly Segment[]) =>
  audience === undefined ? [] : checkAudience(audience, path, { regex: compileRuleRegex, segments });
