import type {
  MetricComputation,
  MetricKind,
  MetricStep,
  MetricValue,
  ProvisionedMetric,
} from '@switchyard/core/api/metrics';
import { sameJson } from '@switchyard/core/merge/json-value';
import type { Report } from '../../configuration/definitions/rule-context.ts';

/** Members that depend on the kind; null is as good as missing. */
const MEMBERS = [
  'goalId',
  'numerator',
  'denominator',
  'fromDay',
  'toDay',
  'steps',
  'quantile',
  'path',
  'event',
  'property',
  'of',
  'withinDays',
] as const;
type Member = (typeof MEMBERS)[number];

const MEMBERS_OF: Readonly<Record<MetricKind, readonly Member[]>> = {
  count: ['goalId', 'withinDays'],
  sum: ['goalId', 'withinDays'],
  ratio: ['numerator', 'denominator', 'withinDays'],
  retention: ['fromDay', 'toDay', 'goalId'],
  funnel: ['steps', 'withinDays'],
  quantile: ['quantile', 'goalId', 'event', 'property', 'withinDays'],
  page: ['path', 'of', 'withinDays'],
  event: ['event', 'of', 'withinDays'],
};

/** The parts of a definition that say what is computed, with those of the stored metric that it does not mention. */
export type GivenMembers = Pick<ProvisionedMetric, Member | 'cap'> & { kind: MetricKind };

export function givenMembers(
  entry: ProvisionedMetric & { kind: MetricKind },
  known: object | undefined,
): GivenMembers {
  const stored = { ...known } as Partial<GivenMembers>;
  // A quantile is of a goal or of an event: what is given takes the place of the other.
  if (entry.event ?? entry.property) delete stored.goalId;
  if (entry.goalId && entry.kind === 'quantile') {
    delete stored.event;
    delete stored.property;
  }
  const given: Record<string, unknown> = { kind: entry.kind };
  for (const name of [...MEMBERS, 'cap'] as const) {
    const value = entry[name] === undefined ? stored[name] : entry[name];
    if (value !== undefined && value !== null) given[name] = value;
  }
  return given as GivenMembers;
}

/** Reports members that say something about another kind of metric. */
export function reportForeignMembers(given: GivenMembers, path: string, report: Report): void {
  const allowed = MEMBERS_OF[given.kind];
  for (const name of MEMBERS) {
    if (given[name] !== undefined && !allowed.includes(name)) {
      report(`${path}/${name}`, `is not a member of a ${given.kind} metric, which has ${allowed.join(', ')}`);
    }
  }
  if (given.cap !== undefined && !canBeCapped(given)) {
    report(
      `${path}/cap`,
      'is only for metrics that add up the values of a visitor: count, sum, ratio, views of pages and counts of events',
    );
  }
}

const canBeCapped = ({ kind, of }: GivenMembers) =>
  kind === 'count' ||
  kind === 'sum' ||
  kind === 'ratio' ||
  (kind === 'page' && of === 'views') ||
  (kind === 'event' && of === 'count');

/** Complete; only valid if nothing was reported. */
export function resolveComputation(given: GivenMembers, path: string, report: Report): MetricComputation {
  const { kind, withinDays = null } = given;
  const need = <Name extends Member>(name: Name, what: string, other: NonNullable<GivenMembers[Name]>) => {
    const value = given[name] as NonNullable<GivenMembers[Name]> | undefined;
    if (value === undefined) report(`${path}/${name}`, `is missing: a ${kind} metric needs ${what}`);
    return value ?? other;
  };
  switch (kind) {
    case 'count':
    case 'sum':
      return { kind, goalId: need('goalId', 'the id of a goal', ''), withinDays };
    case 'ratio': {
      const what = 'one: {goalId, of}, {path} or {event}';
      const numerator = need('numerator', what, EMPTY);
      const denominator = need('denominator', what, EMPTY);
      if (sameJson(numerator, denominator) && numerator !== EMPTY)
        report(`${path}/denominator`, 'must be something else than the numerator');
      return { kind, numerator, denominator, withinDays };
    }
    case 'retention': {
      const fromDay = need('fromDay', 'a first day', 1);
      const toDay = need('toDay', 'a last day', fromDay);
      if (toDay < fromDay) report(`${path}/toDay`, `must be at least fromDay, ${fromDay}`);
      return { kind, fromDay, toDay, goalId: given.goalId ?? null };
    }
    case 'funnel': {
      const steps = need('steps', 'at least 2 steps', []);
      reportRepeatedSteps(steps, path, report);
      return { kind, steps, withinDays: need('withinDays', 'the days in which all steps are taken', 1) };
    }
    case 'quantile':
      return {
        kind,
        quantile: need('quantile', 'one, such as 0.5 for the median', 0.5),
        withinDays,
        ...measured(given, path, report),
      };
    case 'page': {
      const { of = 'visitors', path: page } = given;
      if (of === 'count') report(`${path}/of`, 'must be visitors, views or bounce for a page metric');
      return { kind, path: page ?? null, of: of === 'count' ? 'visitors' : of, withinDays };
    }
    case 'event': {
      const { of = 'visitors' } = given;
      const isKnown = of === 'visitors' || of === 'count';
      if (!isKnown) report(`${path}/of`, 'must be visitors or count for an event metric');
      return {
        kind,
        event: need('event', 'the name of a custom event', ''),
        of: isKnown ? of : 'visitors',
        withinDays,
      };
    }
  }
}

const EMPTY: MetricValue = { event: '' };

function measured({ goalId, event, property }: GivenMembers, path: string, report: Report) {
  if (goalId && (event !== undefined || property !== undefined)) {
    report(`${path}/goalId`, 'cannot be combined with event and property: a quantile is of one or the other');
  }
  if (goalId) return { goalId };
  if (event === undefined && property === undefined) {
    report(`${path}/goalId`, 'is missing: a quantile metric needs a goalId, or event and property');
  } else if (event === undefined) {
    report(`${path}/event`, 'is missing: the property is one of a custom event');
  } else if (property === undefined) {
    report(
      `${path}/property`,
      'is missing: a quantile of an event needs a property whose values are numbers',
    );
  }
  return { event: event ?? '', property: property ?? '' };
}

/** One event would be both steps. */
function reportRepeatedSteps(steps: readonly MetricStep[], path: string, report: Report): void {
  for (const [index, step] of steps.entries()) {
    if (index > 0 && sameJson(step, steps[index - 1])) {
      report(`${path}/steps/${index}`, 'is the same as the step before it');
    }
  }
}
