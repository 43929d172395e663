import type { ProvisionedSplitTest } from '@switchyard/core/api/provisioned-split-test';
import { scheduledStatus } from '@switchyard/core/lifecycle/schedule';
import { nextStatuses } from '@switchyard/core/lifecycle/status';
import { newHashSeed, newId } from '../../configuration/database/database.ts';
import type { ItemRuleContext } from '../../configuration/definitions/collection-definition.ts';
import { knownOutcomes, reportOutcomes } from '../../configuration/definitions/outcome-checks.ts';
import { parseTime, TIME_HINT } from '../../configuration/definitions/parse-time.ts';
import { reportRepeated } from '../../configuration/definitions/repeated-entries.ts';
import type { Report, RuleContext } from '../../configuration/definitions/rule-context.ts';
import type { SplitTest, Variation } from '../../configuration/property/property-configuration.ts';
import { reportAudiences } from './audience-rules.ts';
import { reportDecision, resolveDecision } from './decision-rules.ts';
import { resolveExclusions } from './exclusion-rules.ts';
import { reportLifecycle } from './lifecycle-rules.ts';
import { reportLostOptions, resolveOutcomes } from './outcome-rules.ts';

type Context = Pick<RuleContext, 'mode' | 'now' | 'report'>;

const DEFAULT_ATTRIBUTION_DAYS = 7;

/** The split tests of the candidate, complete. */
export function resolveSplitTests(
  entries: readonly ProvisionedSplitTest[],
  stored: readonly SplitTest[],
  { mode, now, report, items, resolved }: ItemRuleContext,
): SplitTest[] {
  reportLostOptions(resolved('feedback-type'), entries, stored, report);
  reportRepeated(entries, 'key', '/splitTests', report);
  const outcomes = knownOutcomes(items('goal'), items('metric'), items('feedback-type'));
  const candidates = entries.map((entry, index) => {
    const path = `/splitTests/${index}`;
    const known = stored.find((test) => test.key === entry.key);
    const test = resolveSplitTest(entry, known, path, { mode, now, report });
    test.status = resolveStatus(test, known, now);
    reportOutcomes(entry, test, outcomes, path, report);
    reportWinner(test, path, report);
    reportRetired(test, path, report);
    reportOnHarm(test, path, report);
    reportDecision(test, path, report);
    return { entry, known, test, path, mode };
  });
  resolveExclusions(candidates, stored, report);
  reportAudiences({
    tests: candidates.map(({ test }) => test),
    stored,
    changedSegments: resolved('segment'),
    segments: items('segment'),
    report,
  });
  for (const { known, test, path } of candidates) {
    if (known !== undefined) reportLifecycle(known, test, path, report);
  }
  return candidates.map(({ test }) => test);
}

function resolveSplitTest(
  entry: ProvisionedSplitTest,
  known: SplitTest | undefined,
  path: string,
  { mode, now, report }: Context,
): SplitTest {
  const base = mode === 'merge' ? known : undefined;
  const type = entry.type ?? known?.type;
  if (type === undefined)
    report(`${path}/type`, 'is missing: a new split test needs a type, id, text or json');
  if (entry.variations === undefined && base === undefined) {
    report(`${path}/variations`, 'is missing: a new split test needs at least one variation');
  }
  const name = entry.name ?? base?.name;
  const { audience = base?.audience, onHarm = base?.onHarm } = entry;
  const variations = entry.variations ?? base?.variations ?? [];
  const {
    description = base?.description ?? null,
    hypothesis = base?.hypothesis ?? null,
    owner = base?.owner ?? null,
    winner = base?.winner ?? null,
    plannedVisitors = base?.plannedVisitors ?? null,
    smallestEffect = base?.smallestEffect ?? null,
  } = entry;
  return {
    id: known?.id ?? newId('tst'),
    key: entry.key,
    ...(name === undefined ? {} : { name }),
    description,
    hypothesis,
    tags: entry.tags ?? base?.tags ?? [],
    owner,
    type: type ?? 'id',
    status: entry.status ?? known?.status ?? 'draft',
    // Another seed would reassign all visitors, so it only changes if one is given.
    hashSeed: entry.hashSeed ?? known?.hashSeed ?? newHashSeed(),
    trafficAllocation: entry.trafficAllocation ?? base?.trafficAllocation ?? 100,
    variations: resolveVariations(variations, type, `${path}/variations`, report),
    exclusion: null,
    ...(audience ? { audience } : {}),
    ...(onHarm === 'stop' ? { onHarm } : {}),
    ...resolveTimes(entry, base, path, report),
    winner,
    decision: resolveDecision(entry.decision, known?.decision ?? null, { path, mode, now, report }),
    ...resolveOutcomes(entry, base),
    attributionDays: entry.attributionDays ?? base?.attributionDays ?? DEFAULT_ATTRIBUTION_DAYS,
    plannedVisitors,
    smallestEffect,
    unit: entry.unit ?? base?.unit ?? 'visitor',
    phases: known?.phases ?? [],
    ...(known?.decisionRule ? { decisionRule: known.decisionRule } : {}),
    createdAt: known?.createdAt ?? now,
    version: known?.version ?? 0,
  };
}

/** Ignores a status that the schedule has already moved past, so that a file can be applied again at any time. */
function resolveStatus(wanted: SplitTest, known: SplitTest | undefined, now: number): SplitTest['status'] {
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
  return variations.map(({ key, weight, value, retired }) => ({
    key,
    weight,
    value: value ?? key,
    ...(retired && { retired }),
  }));
}

function reportWinner({ winner, status, variations }: SplitTest, path: string, report: Report): void {
  if (winner === null) return;
  if (status !== 'stopped' && status !== 'archived') {
    report(`${path}/winner`, `can only be set when the test is stopped; it is ${status}`);
  }
  const variation = variations.find(({ key }) => key === winner);
  if (variation === undefined) report(`${path}/winner`, `"${winner}" is not a variation of this test`);
  else if (variation.retired) report(`${path}/winner`, `"${winner}" is retired`);
}

function reportRetired({ status, variations }: SplitTest, path: string, report: Report): void {
  const place = (index: number) => `${path}/variations/${index}/retired`;
  const first = variations.findIndex(({ retired }) => retired);
  if (first < 0) return;
  if (status === 'draft')
    report(place(first), 'must be false before the test has started: remove the variation instead');
  if (first === 0)
    report(
      place(first),
      'must be false: the first variation is the control, with which the others are compared',
    );
  if (!variations.some(({ retired }, index) => index > 0 && !retired))
    report(
      place(first),
      'must be false for one of the variations: with the control alone nothing is compared; stop the test instead',
    );
}

/** Without anything to measure, no harm would ever be found. */
function reportOnHarm({ onHarm, goals, guardrails }: SplitTest, path: string, report: Report): void {
  if (onHarm !== 'stop' || goals.length + guardrails.length > 0) return;
  report(`${path}/onHarm`, 'needs a goal or a guardrail: without them, no harm can be found');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
