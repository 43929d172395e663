import type { ProvisionedSplitTest } from '@switchyard/core/api/provisioned-split-test';
import { scheduledStatus } from '@switchyard/core/lifecycle/schedule';
import { nextStatuses } from '@switchyard/core/lifecycle/status';
import type { SplitTestSettings } from '../../storage/configuration-settings.ts';
import type { SplitTest, Variation } from '../../storage/property-configuration.ts';
import { parseTime, TIME_HINT } from './parse-time.ts';
import type { Report } from './provision-mistake.ts';
import { reportDecision, resolveDecision } from './resolve-decision.ts';
import { resolveExclusions } from './resolve-exclusion.ts';
import { type KnownOutcomes, reportOutcomes, resolveOutcomes } from './resolve-outcomes.ts';
import { reportLifecycle } from './split-test-lifecycle.ts';

interface Context extends KnownOutcomes {
  /** Path of the property. */
  path: string;
  now: number;
  report: Report;
}

const DEFAULT_ATTRIBUTION_DAYS = 7;

export function resolveSplitTests(
  entries: readonly ProvisionedSplitTest[],
  stored: readonly SplitTest[],
  { path, now, report, ...outcomes }: Context,
): SplitTestSettings[] {
  const candidates = entries.map((entry, index) => {
    const place = `${path}/splitTests/${index}`;
    const known = stored.find((test) => test.key === entry.key);
    const settings = resolveSplitTest(entry, known, { path: place, now, report });
    settings.status = resolveStatus(settings, known, now);
    reportOutcomes(entry, settings, outcomes, place, report);
    reportWinner(settings, place, report);
    reportDecision(settings, place, report);
    return { entry, known, settings, path: place };
  });
  resolveExclusions(candidates, stored, report);
  for (const { known, settings, path: place } of candidates) {
    if (known !== undefined) reportLifecycle(known, settings, place, report);
  }
  return candidates.map(({ settings }) => settings);
}

function resolveSplitTest(
  entry: ProvisionedSplitTest,
  known: SplitTest | undefined,
  { path, now, report }: Pick<Context, 'path' | 'now' | 'report'>,
): SplitTestSettings {
  const type = entry.type ?? known?.type;
  if (type === undefined)
    report(`${path}/type`, 'is missing: a new split test needs a type, id, text or json');
  if (entry.variations === undefined && known === undefined) {
    report(`${path}/variations`, 'is missing: a new split test needs at least one variation');
  }
  const name = entry.name ?? known?.name;
  const variations = entry.variations ?? known?.variations ?? [];
  const {
    description = known?.description ?? null,
    hypothesis = known?.hypothesis ?? null,
    owner = known?.owner ?? null,
    winner = known?.winner ?? null,
    plannedVisitors = known?.plannedVisitors ?? null,
    smallestEffect = known?.smallestEffect ?? null,
  } = entry;
  return {
    key: entry.key,
    ...(name === undefined ? {} : { name }),
    description,
    hypothesis,
    tags: entry.tags ?? known?.tags ?? [],
    owner,
    type: type ?? 'id',
    status: entry.status ?? known?.status ?? 'draft',
    hashSeed: entry.hashSeed ?? known?.hashSeed,
    trafficAllocation: entry.trafficAllocation ?? known?.trafficAllocation ?? 100,
    variations: resolveVariations(variations, type, `${path}/variations`, report),
    exclusion: null,
    ...resolveTimes(entry, known, path, report),
    winner,
    decision: resolveDecision(entry.decision, known?.decision ?? null, { path, now, report }),
    ...resolveOutcomes(entry, known),
    attributionDays: entry.attributionDays ?? known?.attributionDays ?? DEFAULT_ATTRIBUTION_DAYS,
    plannedVisitors,
    smallestEffect,
  };
}

/** Ignores a status that the schedule has already moved past, so that a file can be applied again at any time. */
function resolveStatus(
  wanted: SplitTestSettings,
  known: SplitTest | undefined,
  now: number,
): SplitTest['status'] {
  if (known === undefined || wanted.status === known.status) return wanted.status;
  const scheduled = scheduledStatus(wanted, now);
  const isOutdated = scheduled === known.status || !nextStatuses(known.status).includes(wanted.status);
  return isOutdated ? scheduled : wanted.status;
}

function resolveTimes(
  entry: ProvisionedSplitTest,
  known: SplitTest | undefined,
  path: string,
  report: Report,
): Pick<SplitTest, 'startAt' | 'stopAt'> {
  const resolve = (field: 'startAt' | 'stopAt') => {
    const given = entry[field];
    if (given === undefined) return known?.[field] ?? null;
    const time = given === null ? null : parseTime(given);
    if (time === undefined) report(`${path}/${field}`, TIME_HINT);
    return time ?? null;
  };
  const [startAt, stopAt] = [resolve('startAt'), resolve('stopAt')];
  if (startAt !== null && stopAt !== null && stopAt <= startAt) {
    if (entry.stopAt === undefined) report(`${path}/startAt`, 'must be before stopAt');
    else report(`${path}/stopAt`, 'must be after startAt');
  }
  return { startAt, stopAt };
}

function resolveVariations(
  variations: NonNullable<ProvisionedSplitTest['variations']>,
  type: SplitTest['type'] | undefined,
  path: string,
  report: Report,
): Variation[] {
  const seen = new Set<string>();
  for (const [index, { key, value }] of variations.entries()) {
    const place = `${path}/${index}`;
    if (seen.has(key)) report(`${place}/key`, `"${key}" is already used by another variation`);
    seen.add(key);
    if (value === undefined && (type === 'text' || type === 'json')) {
      report(`${place}/value`, `is missing: a variation of a ${type} test needs a value`);
    }
    if (value !== undefined && type === 'json' && !isJson(value))
      report(`${place}/value`, 'is not valid JSON text');
  }
  if (variations.length > 0 && !variations.some((variation) => variation.weight > 0)) {
    report(path, 'must have at least one weight above 0');
  }
  return variations.map(({ key, weight, value }) => ({ key, weight, value: value ?? key }));
}

function reportWinner({ winner, status, variations }: SplitTestSettings, path: string, report: Report): void {
  if (winner === null) return;
  if (status !== 'stopped' && status !== 'archived') {
    report(`${path}/winner`, `can only be set when the test is stopped; it is ${status}`);
  }
  if (!variations.some(({ key }) => key === winner)) {
    report(`${path}/winner`, `"${winner}" is not a variation of this test`);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
