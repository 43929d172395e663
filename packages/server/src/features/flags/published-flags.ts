import type { FlagList, SegmentList } from '@switchyard/core/api/flags';
import { prepare } from '../../http/etag.ts';
import { derivePerProperty } from '../../storage/property-configuration.ts';

/** The response of the flag list, built once per saved change. */
export const publishedFlags = derivePerProperty((property) => {
  const flags: FlagList['flags'] = property.flags.map(
    ({ id, key, name, description, type, defaultValue, createdAt }) => ({
      id,
      key,
      name,
      ...(description === undefined ? {} : { description }),
      type,
      defaultValue,
      createdAt,
    }),
  );
  const configs: FlagList['configs'] = property.flags.flatMap((flag) =>
    flag.configurations.map(({ id, environmentId, enabled, value, rules, prerequisites }) => ({
      id,
      flagId: flag.id,
      environmentId,
      enabled,
      value,
      rules,
      ...(prerequisites.length === 0 ? {} : { prerequisites }),
    })),
  );
  return prepare({ flags, configs } satisfies FlagList);
});

export const publishedSegments = derivePerProperty((property) =>
  prepare({
    segments: property.segments.map(({ version: _version, ...segment }) => segment),
  } satisfies SegmentList),
);
