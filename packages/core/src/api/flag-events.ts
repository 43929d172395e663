import type { FlagList, SegmentList } from './flags.ts';

/** What `GET /v1/flags/list` and `GET /v1/flags/segments` return as `ETag`. */
interface FlagEtags {
  list: string;
  segments: string;
}

/** Data of `state`, the first event of `GET /v1/flags/stream`. */
export interface FlagStreamState {
  propertyId: string;
  version: number;
  etags: FlagEtags;
  /** Clients that have to fetch wait for a random part of this time. */
  spreadMs: number;
}

/** Data of `change`. */
export interface FlagChange extends FlagStreamState {
  /** Keys of the flags that changed. */
  flags: string[];
  /** Missing if it is large, or if it is not known what the client has. */
  delta?: FlagDelta;
}

/** What turns the list and the segments with the tags `from` into those with the tags of the change. */
export interface FlagDelta extends FlagList, SegmentList {
  from: FlagEtags;
  /** Ids. Flags and segments that are not removed replace those with the same id. */
  removedFlags: string[];
  removedSegments: string[];
}
