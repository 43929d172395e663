import type { FlagList } from './flag-state.ts';

/** What the stream says about the flags of the service: which ones to have, and how to get there. */
export interface FlagUpdate {
  etags: FlagEtags;
  /** To be random about when to fetch: other clients may have to fetch too. */
  spreadMs: number;
  delta?: FlagDelta;
}

interface FlagEtags {
  list: string;
  segments: string;
}

/** Leads from the flags and segments with the tags `from` to those of the update. */
interface FlagDelta extends FlagList {
  from: FlagEtags;
  removedFlags: string[];
  segments: { id: string }[];
  removedSegments: string[];
}

const MAX_SPREAD_MS = 60_000;

/** Without anything to compare with, everything is fetched at once. */
const UNKNOWN: FlagUpdate = { etags: { list: '', segments: '' }, spreadMs: 0 };

export function parseUpdate(data: string): FlagUpdate {
  try {
    const update = { ...UNKNOWN, ...(JSON.parse(data) as Partial<FlagUpdate>) };
    return { ...update, spreadMs: Math.min(Number(update.spreadMs) || 0, MAX_SPREAD_MS) };
  } catch {
    return UNKNOWN;
  }
}

/** Compressing proxies weaken tags. */
export const isSameTag = (own: string | null | undefined, tag: string): boolean =>
  own?.replace(/^W\//, '') === tag;

export function changedList({ flags, configs }: FlagList, delta: FlagDelta): FlagList {
  const replaced = new Set([...delta.removedFlags, ...delta.flags.map(({ id }) => id)]);
  return {
    flags: [...flags.filter(({ id }) => !replaced.has(id)), ...delta.flags],
    configs: [...configs.filter(({ flagId }) => !replaced.has(flagId)), ...delta.configs],
  };
}

export function changedSegments(segments: readonly unknown[], delta: FlagDelta): unknown[] {
  const replaced = new Set([...delta.removedSegments, ...delta.segments.map(({ id }) => id)]);
  const kept = (segments as { id: string }[]).filter(({ id }) => !replaced.has(id));
  return [...kept, ...delta.segments];
}
