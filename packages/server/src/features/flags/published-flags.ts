import type { FlagList, SegmentList } from '@switchyard/core/api/flags';
import {
  derivePerProperty,
  type Flag,
  type StoredSegment,
} from '../../configuration/property/property-configuration.ts';
import { etagOf, prepare, prepareText } from '../../http/contract/etag.ts';

/** The response of the flag list, built once per saved change. */
export const publishedFlags = derivePerProperty((property) => {
  const parts = property.flags.map(partOf);
  const flags = parts.map(({ definition }) => definition);
  const configs = parts.flatMap((part) => part.configs);
  return prepareText(`{"flags":[${flags.join()}],"configs":[${configs.join()}]}`, flagListTag(property));
});

/** Its `ETag`, in time proportional to what has changed: it is computed for every change while streams are open. */
export const flagListTag = derivePerProperty(({ flags }) =>
  etagOf(flags.map((flag) => partOf(flag).tag).join()),
);

export const publishedSegments = derivePerProperty(({ segments }) =>
  prepare({ segments: segments.map(publishedSegment) } satisfies SegmentList),
);

/** Whether the list says the same of both. */
export const isPublishedAlike = (one: Flag, other: Flag): boolean => partOf(one).tag === partOf(other).tag;

export function flagList(flags: readonly Flag[]): FlagList {
  return { flags: flags.map(definitionOf), configs: flags.flatMap(configsOf) };
}

export function publishedSegment({ version: _version, ...segment }: StoredSegment) {
  return segment;
}

/** What the list says of a flag, as JSON. */
interface FlagPart {
  definition: string;
  configs: string[];
  tag: string;
}

const parts = new WeakMap<Flag, FlagPart>();

/** Flags that a change leaves alone stay the same objects. */
function partOf(flag: Flag): FlagPart {
  let part = parts.get(flag);
  if (part === undefined) {
    const definition = JSON.stringify(definitionOf(flag));
    const configs = configsOf(flag).map((config) => JSON.stringify(config));
    part = { definition, configs, tag: etagOf([definition, ...configs].join()) };
    parts.set(flag, part);
  }
  return part;
}

function definitionOf(flag: Flag): FlagList['flags'][number] {
  const { id, key, name, description, type, format, defaultValue, createdAt } = flag;
  return {
    id,
    key,
    name,
    ...(description === undefined ? {} : { description }),
    type,
    ...(format && { format }),
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
