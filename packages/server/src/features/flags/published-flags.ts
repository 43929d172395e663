import type { FlagList, SegmentList } from '@switchyard/core/api/flags';
import { prepare } from '../../http/etag.ts';
import { derivePerProperty, type Flag, type StoredSegment } from '../../storage/property-configuration.ts';

/** The response of the flag list, built once per saved change. */
export const publishedFlags = derivePerProperty(({ flags }) => prepare(flagList(flags)));

export const publishedSegments = derivePerProperty(({ segments }) =>
  prepare({ segments: segments.map(publishedSegment) } satisfies SegmentList),
);

export function flagList(flags: readonly Flag[]): FlagList {
  return { flags: flags.map(definitionOf), configs: flags.flatMap(configsOf) };
}

export function publishedSegment({ version: _version, ...segment }: StoredSegment) {
  return segment;
}

function definitionOf(flag: Flag): FlagList['flags'][number] {
  const { id, key, name, description, type, defaultValue, createdAt } = flag;
  return {
    id,
    key,
    name,
    ...(description === undefined ? {} : { description }),
    type,
    defaultValue,
    createdAt,
  };
}

function configsOf(flag: Flag): FlagList['configs'] {
  return flag.configurations.map(({ id, environmentId, enabled, value, rules, prerequisites }) => ({
    id,
    flagId: flag.id,
    environmentId,
    enabled,
    value,
    rules,
    ...(prerequisites.length === 0 ? {} : { prerequisites }),
  }));
}
