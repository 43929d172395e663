import { DEFAULT_PRIVACY } from '@switchyard/core/api/privacy';
import { DEFAULT_STATISTICS } from '@switchyard/core/api/statistics';
import { applyMergePatch } from '@switchyard/core/merge/merge-patch';
import type { PropertyCandidate } from '../../configuration/definitions/rule-context.ts';
import type { Document } from '../../configuration/property/entities.ts';

export const READ_ONLY_SETTINGS = { readOnly: ['version', 'createdAt'] };

/** Settings with defaults for those that are missing or null, except the seed, which only changes if one is given. */
export function completeSettings(id: string, settings: Document): PropertyCandidate {
  const { createdAt: _createdAt, version: _version, ...given } = settings;
  const set = Object.entries(given).filter(([, value]) => value !== null);
  return {
    name: id,
    retentionDays: null,
    allowedOrigins: null,
    holdout: 0,
    aaTest: 'assignment',
    recordEvaluations: false,
    displayCurrency: 'USD',
    timeZone: 'UTC',
    ...Object.fromEntries(set),
    statistics: { ...DEFAULT_STATISTICS, ...(given.statistics as object) },
    privacy: { ...DEFAULT_PRIVACY, ...(given.privacy as object) },
    id,
  };
}

/** The settings after a JSON merge patch. */
export function patchSettings(settings: Document, patch: unknown): Document {
  return applyMergePatch(settings, patch) as Document;
}
