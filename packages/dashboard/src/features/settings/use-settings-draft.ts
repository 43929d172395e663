import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { propertyPath } from '../../api.ts';
import { useReview } from '../changes/review-context.tsx';
import { useDraft } from '../changes/use-draft.ts';
import { useDraftOutcome } from '../changes/use-draft-outcome.ts';
import { type CachedConfiguration, configurationKey } from '../configuration/configuration-cache.ts';
import type { PropertySettings } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';

/** Responses have every setting. */
type Settings = Required<PropertySettings>;

/**
 * Unsaved changes of some settings of the property.
 * @param fields a constant
 */
export function useSettingsDraft<K extends keyof Settings>(name: string, fields: readonly K[]) {
  const { propertyId, configuration, missingRole } = useProperty();
  const client = useQueryClient();
  const review = useReview();
  const { property } = configuration;
  const stored = useMemo(() => pick(property as Settings, fields), [property, fields]);
  const draft = useDraft(`${propertyId}/settings/${name}`, stored, property.version);
  const { finish, message } = useDraftOutcome(draft, (document) => pick(document as Settings, fields));
  const save = async () => {
    const change = {
      title: 'Save settings',
      method: 'PATCH',
      path: propertyPath(propertyId),
      body: draft.value,
      isWholeDocument: true,
      version: draft.baseVersion,
    } as const;
    const result = await finish(review(change));
    if (result.outcome === 'saved') {
      const saved = result.response as Settings;
      client.setQueryData<CachedConfiguration>(
        configurationKey(propertyId),
        (known) => known && { etag: null, configuration: { ...known.configuration, property: saved } },
      );
    }
  };
  return { draft, stored, save, message, reason: missingRole('admin') };
}

function pick<T extends object, K extends keyof T>(whole: T, fields: readonly K[]): Pick<T, K> {
  return Object.fromEntries(fields.map((field) => [field, whole[field]])) as unknown as Pick<T, K>;
}
