import type { ProvisionedSplitTest } from '@switchyard/core/api/provisioned-split-test';
import type { SplitTestSettings } from '../../storage/configuration-settings.ts';
import type { ExclusionSlot, SplitTest } from '../../storage/property-configuration.ts';
import type { Report } from './provision-mistake.ts';

/** A test of the file whose slot is to be found. */
export interface Candidate {
  entry: ProvisionedSplitTest;
  known: SplitTest | undefined;
  settings: SplitTestSettings;
  path: string;
}

interface Place {
  from: number;
  to: number;
}

/** Sums of shares like 33.3 miss their target by less than this. */
const ROUNDING = 1e-9;

/**
 * Gives each test that asks for it a slot of its group which no other test has. A slot stays for as long as group
 * and share stay, because every visitor in it would move with it.
 */
export function resolveExclusions(
  candidates: readonly Candidate[],
  stored: readonly SplitTest[],
  report: Report,
): void {
  const named = new Set(candidates.map(({ entry }) => entry.key));
  const taken = stored.flatMap((test) => (named.has(test.key) ? [] : heldBy(test)));
  const open: Candidate[] = [];
  for (const candidate of candidates) {
    const { entry, known, settings } = candidate;
    if (entry.exclusion === null) settings.exclusion = null;
    else if (keepsSlot(candidate)) settings.exclusion = known?.exclusion ?? null;
    else open.push(candidate);
    if (!open.includes(candidate)) taken.push(...heldBy(settings));
  }
  for (const candidate of open.sort(byClaim)) {
    const slot = findSlot(candidate, taken, report);
    candidate.settings.exclusion = slot;
    taken.push(...heldBy(candidate.settings));
  }
}

function keepsSlot({ entry: { exclusion }, known }: Candidate): boolean {
  if (exclusion === undefined || exclusion === null) return true;
  const before = known?.exclusion;
  if (!before || before.group !== exclusion.group || before.share !== exclusion.share) return false;
  return exclusion.from === undefined || exclusion.from === before.from;
}

/** The slot that others have to keep clear of. */
function heldBy({ status, winner, exclusion }: SplitTestSettings | SplitTest): ExclusionSlot[] {
  if (exclusion === null || status === 'archived') return [];
  return status === 'stopped' && winner === null ? [] : [exclusion];
}

/** Those with a place in mind first, the last place first, so that each ends where the next one begins. */
function byClaim(left: Candidate, right: Candidate): number {
  return (claimOf(right) ?? -1) - (claimOf(left) ?? -1);
}

function claimOf({ entry: { exclusion }, known }: Candidate): number | undefined {
  if (exclusion?.from !== undefined) return exclusion.from;
  return known?.exclusion?.group === exclusion?.group ? known?.exclusion?.from : undefined;
}

function findSlot(
  candidate: Candidate,
  taken: readonly ExclusionSlot[],
  report: Report,
): ExclusionSlot | null {
  const { entry, settings, path } = candidate;
  if (!entry.exclusion) return null;
  const { group, share, from } = entry.exclusion;
  // A test that is over takes no part, so its slot is only a memory and may lie anywhere.
  const isOver = heldBy({ ...settings, exclusion: { group, share, from: 0, to: share } }).length === 0;
  const free = gaps(isOver ? [] : taken.filter((slot) => slot.group === group));
  const claim = claimOf(candidate);
  const place =
    (claim === undefined ? undefined : fit(free, share, claim)) ??
    (from === undefined ? free.map((gap) => fit([gap], share, gap.from)).find(Boolean) : undefined);
  if (place !== undefined) return { group, share, ...place };
  const room = free.length === 0 ? 'nothing is free' : `free is ${free.map(describe).join(', ')}`;
  if (from === undefined) {
    report(`${path}/exclusion/share`, `finds no room for ${share} % in the group "${group}": ${room}`);
  } else {
    report(`${path}/exclusion/from`, `leaves no room for ${share} % in the group "${group}": ${room}`);
  }
  return null;
}

function fit(free: readonly Place[], share: number, from: number): Place | undefined {
  const gap = free.find((each) => from >= each.from && from + share <= each.to + ROUNDING);
  return gap && { from, to: from + share < gap.to - ROUNDING ? from + share : gap.to };
}

/** What is left of 0 to 100. */
function gaps(taken: readonly Place[]): Place[] {
  const free: Place[] = [];
  let reached = 0;
  for (const { from, to } of [...taken].sort((left, right) => left.from - right.from)) {
    if (from - reached > ROUNDING) free.push({ from: reached, to: from });
    reached = Math.max(reached, to);
  }
  if (100 - reached > ROUNDING) free.push({ from: reached, to: 100 });
  return free;
}

const describe = ({ from, to }: Place) => `${round(from)} to ${round(to)}`;
const round = (value: number) => Number(value.toFixed(6));
