import type { FlagChange, FlagDelta, FlagStreamState } from '@switchyard/core/api/flag-events';
import { sameJson } from '@switchyard/core/merge/json-value';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import {
  flagList,
  flagListTag,
  isPublishedAlike,
  publishedSegment,
  publishedSegments,
} from './published-flags.ts';

/** Above this, the few clients that need a change had better fetch it than that all of them get it. */
const MAX_DELTA_LENGTH = 16 * 1024;
/** So many clients of one process fetch per millisecond when all of them have to. */
const FETCHES_PER_MS = 1;
const MAX_SPREAD_MS = 30_000;

/** The first event of a stream. */
export function stateEvent(property: PropertyConfiguration, streams: number): string {
  return eventText('state', property, JSON.stringify(stateOf(property, streams)));
}

/** Undefined if flags and their targeting are the same. */
export function changeEvent(
  previous: PropertyConfiguration,
  current: PropertyConfiguration,
  streams: number,
): string | undefined {
  const flags = changedFlags(previous, current);
  if (flags.length === 0 && sameTargeting(previous, current)) return undefined;
  const change: FlagChange = { ...stateOf(current, streams), flags };
  const complete = JSON.stringify({ ...change, delta: deltaBetween(previous, current) } satisfies FlagChange);
  return eventText(
    'change',
    current,
    complete.length <= MAX_DELTA_LENGTH ? complete : JSON.stringify(change),
  );
}

/** For clients of which it is not known what they have: all flags may have changed. */
export function anyChangeEvent(property: PropertyConfiguration, streams: number): string {
  const change: FlagChange = {
    ...stateOf(property, streams),
    flags: property.flags.map(({ key }) => key),
  };
  return eventText('change', property, JSON.stringify(change));
}

function eventText(event: string, { version }: PropertyConfiguration, data: string): string {
  return `id: ${version}\nevent: ${event}\ndata: ${data}\n\n`;
}

function stateOf(property: PropertyConfiguration, streams: number): FlagStreamState {
  return {
    propertyId: property.id,
    version: property.version,
    etags: etagsOf(property),
    spreadMs: Math.min(MAX_SPREAD_MS, Math.floor(streams / FETCHES_PER_MS)),
  };
}

function etagsOf(property: PropertyConfiguration): FlagStreamState['etags'] {
  return { list: flagListTag(property), segments: publishedSegments(property).etag };
}

function deltaBetween(previous: PropertyConfiguration, current: PropertyConfiguration): FlagDelta {
  const flags = differences(previous.flags, current.flags, isPublishedAlike);
  const segments = differences(previous.segments, current.segments, sameJson);
  return {
    from: etagsOf(previous),
    ...flagList(flags.saved),
    removedFlags: flags.removed,
    segments: segments.saved.map(publishedSegment),
    removedSegments: segments.removed,
  };
}

/** An unchanged item usually is the same object, but not after a reload. */
function differences<T extends { id: string }>(
  previous: readonly T[],
  current: readonly T[],
  isSame: (one: T, other: T) => boolean,
): { saved: T[]; removed: string[] } {
  const before = new Map(previous.map((item) => [item.id, item]));
  const saved = current.filter((item) => {
    const known = before.get(item.id);
    before.delete(item.id);
    return known === undefined || (known !== item && !isSame(known, item));
  });
  return { saved, removed: [...before.keys()] };
}

function changedFlags(previous: PropertyConfiguration, current: PropertyConfiguration): string[] {
  const before = new Map(previous.flags.map((flag) => [flag.key, flag]));
  const changed = current.flags
    .filter(({ key, id, version }) => before.get(key)?.id !== id || before.get(key)?.version !== version)
    .map(({ key }) => key);
  const now = new Set(current.flags.map(({ key }) => key));
  return [...changed, ...[...before.keys()].filter((key) => !now.has(key))];
}

/** Segments and environments affect evaluations without changing a flag. */
function sameTargeting(previous: PropertyConfiguration, current: PropertyConfiguration): boolean {
  return (
    sameJson(previous.segments, current.segments) && sameJson(previous.environments, current.environments)
  );
}
