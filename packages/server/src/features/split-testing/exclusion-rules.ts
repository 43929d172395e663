import type { ProvisionedSplitTest } from '@switchyard/core/api/provisioned-split-test';
import type { Report, RuleContext } from '../../configuration/definitions/rule-context.ts';
import type { ExclusionSlot, SplitTest } from '../../configuration/property/property-configuration.ts';

/** A test that may need a slot. */
export interface Candidate {
  entry: ProvisionedSplitTest;
  known: SplitTest | undefined;
  test: SplitTest;
  path: string;
  mode: RuleContext['mode'];
}

interface Range {
  from: number;
  to: number;
}

/** Larger than the rounding error of sums of shares like 33.3. */
const ROUNDING = 1e-9;

/**
 * Gives each test with an exclusion a slot of its group that no other test has. A slot stays while group and share
 * stay the same, because moving it would reassign its visitors.
 */
export function resolveExclusions(
  candidates: readonly Candidate[],
  stored: readonly SplitTest[],
  report: Report,
): void {
  const candidateKeys = new Set(candidates.map(({ entry }) => entry.key));
  const taken = stored.flatMap((test) => (candidateKeys.has(test.key) ? [] : slotsOf(test)));
  const pending: Candidate[] = [];
  for (const candidate of candidates) {
    const { known, test } = candidate;
    if (leavesGroup(candidate)) test.exclusion = null;
    else if (keepsSlot(candidate)) test.exclusion = known?.exclusion ?? null;
    else pending.push(candidate);
    if (!pending.includes(candidate)) taken.push(...slotsOf(test));
  }
  for (const candidate of pending.sort(byPreference)) {
    const slot = findSlot(candidate, taken, report);
    candidate.test.exclusion = slot;
    taken.push(...slotsOf(candidate.test));
  }
}

function leavesGroup({ entry: { exclusion }, mode }: Candidate): boolean {
  return exclusion === null || (exclusion === undefined && mode === 'replace');
}

function keepsSlot({ entry: { exclusion }, known }: Candidate): boolean {
  if (exclusion === undefined || exclusion === null) return true;
  const before = known?.exclusion;
  if (!before || before.group !== exclusion.group || before.share !== exclusion.share) return false;
  return exclusion.from === undefined || exclusion.from === before.from;
}

/** The slot that other tests must not use. */
function slotsOf({ status, winner, exclusion }: SplitTest): ExclusionSlot[] {
  if (exclusion === null || status === 'archived') return [];
  return status === 'stopped' && winner === null ? [] : [exclusion];
}

/** Tests with a preferred position first, from right to left, so that each can end where the next one begins. */
function byPreference(left: Candidate, right: Candidate): number {
  return (preferredStart(right) ?? -1) - (preferredStart(left) ?? -1);
}

function preferredStart({ entry: { exclusion }, known }: Candidate): number | undefined {
  if (exclusion?.from !== undefined) return exclusion.from;
  return known?.exclusion?.group === exclusion?.group ? known?.exclusion?.from : undefined;
}

function findSlot(
  candidate: Candidate,
  taken: readonly ExclusionSlot[],
  report: Report,
): ExclusionSlot | null {
  const { entry, test, path } = candidate;
  if (!entry.exclusion) return null;
  const { group, share, from } = entry.exclusion;
  // The slot of a finished test is not used anymore, so it may overlap others.
  const isFinished = slotsOf({ ...test, exclusion: { group, share, from: 0, to: share } }).length === 0;
  const free = gaps(isFinished ? [] : taken.filter((slot) => slot.group === group));
  const preferred = preferredStart(candidate);
  const range =
    (preferred === undefined ? undefined : fit(free, share, preferred)) ??
    (from === undefined ? free.map((gap) => fit([gap], share, gap.from)).find(Boolean) : undefined);
  if (range !== undefined) return { group, share, ...range };
  const available = free.length === 0 ? 'nothing is free' : `free: ${free.map(describe).join(', ')}`;
  const field = from === undefined ? 'share' : 'from';
  report(
    `${path}/exclusion/${field}`,
    `does not fit: ${share} % requested in group "${group}", ${available}`,
  );
  return null;
}

function fit(free: readonly Range[], share: number, from: number): Range | undefined {
  const gap = free.find((range) => from >= range.from && from + share <= range.to + ROUNDING);
  return gap && { from, to: from + share < gap.to - ROUNDING ? from + share : gap.to };
}

/** The free ranges between 0 and 100. */
function gaps(taken: readonly Range[]): Range[] {
  const free: Range[] = [];
  let reached = 0;
  for (const { from, to } of [...taken].sort((left, right) => left.from - right.from)) {
    if (from - reached > ROUNDING) free.push({ from: reached, to: from });
    reached = Math.max(reached, to);
  }
  if (100 - reached > ROUNDING) free.push({ from: reached, to: 100 });
  return free;
}

const describe = ({ from, to }: Range) => `${round(from)} to ${round(to)}`;
const round = (value: number) => Number(value.toFixed(6));
