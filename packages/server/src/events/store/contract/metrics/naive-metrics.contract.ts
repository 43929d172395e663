import type {
  FunnelStep,
  MeasuredValue,
  MetricBaseline,
  MetricBaselineQuery,
  MetricCounts,
  MetricGroup,
  MetricSums,
  MetricTerm,
  MetricValue,
  QuantileSpread,
  SplitTestMetricsQuery,
} from '../../metric-queries.ts';
import type { NaiveEventStore } from '../naive-event-store.contract.ts';
import { isCounted, type NaiveFacts, unitOf, visitorsOf } from '../naive-visitors.contract.ts';

/** What a visitor did, in any order. */
interface Did {
  at: number;
  goal?: { goalId: string; direction: 1 | -1; micros: number };
  url?: string | undefined;
  isView?: boolean;
  /** Name and properties of a custom event. */
  event?: { name: string | undefined; properties: string };
  /** Seen in a browser. */
  active?: boolean;
  sessionId: string;
}

interface Person {
  unit: string;
  firstAt: number;
  leftAt: number;
  variationKey: string;
  returning: boolean;
  bot: boolean;
}

/** Metrics as the port describes them, in loops over lists. */
export class NaiveMetrics {
  readonly #model: NaiveEventStore;
  readonly #propertyId: string;
  readonly #facts: NaiveFacts;
  readonly #did: Did[];

  constructor(model: NaiveEventStore, propertyId: string) {
    this.#model = model;
    this.#propertyId = propertyId;
    this.#facts = model.facts(propertyId);
    this.#did = model
      .traffic(propertyId)
      .events.flatMap(({ line, at, receivedAt, sessionId, fromBrowser }): Did[] => {
        if (sessionId === undefined || line?.type === 'feedback') return [];
        if (line === undefined) return [{ at, sessionId, active: fromBrowser }];
        if (line.type === 'goal') {
          const { goalId, count: direction, amountMicros: micros } = line;
          return [{ at, sessionId, goal: { goalId, direction, micros } }];
        }
        if (line.type === 'exposure') return [{ at: Math.min(at, receivedAt), sessionId, active: true }];
        const { url, name, properties = '{}' } = line;
        if (line.type === 'pageview') return [{ at, sessionId, active: true, isView: true, url }];
        const event = line.type === 'event' ? { event: { name, properties } } : {};
        return [{ at, sessionId, active: true, ...event }];
      });
  }

  counts(query: SplitTestMetricsQuery): MetricCounts {
    const people = visitorsOf(this.#facts, query)
      .filter(isCounted)
      .map((it): Person => ({ ...it, variationKey: it.variationKey! }));
    const groups: MetricGroup[] = [];
    const quantiles: MetricCounts['quantiles'][number][] = [];
    for (const metric of query.metrics) {
      if (metric.kind === 'quantile') {
        for (const includeBots of [true, false]) {
          for (const variationKey of query.variationKeys) {
            const own = people.filter((it) => it.variationKey === variationKey && (includeBots || !it.bot));
            const over = own.filter((it) => isOver(metric, it, query.now));
            const spread = this.#spread(metric, over, query);
            const pending = own.length - over.length;
            quantiles.push({ metricId: metric.metricId, variationKey, includeBots, pending, ...spread });
          }
        }
        continue;
      }
      const kinds = new Map<string, Person[]>();
      for (const it of people) {
        const key = JSON.stringify([it.variationKey, it.returning, it.bot]);
        kinds.set(key, [...(kinds.get(key) ?? []), it]);
      }
      for (const own of kinds.values()) {
        const { variationKey, returning, bot } = own[0]!;
        const kind = { metricId: metric.metricId, variationKey, returning, bot };
        groups.push({ ...kind, ...this.#sums(metric, own, query) });
      }
    }
    return { groups, quantiles };
  }

  baseline({ metric, from, to }: MetricBaselineQuery): MetricBaseline {
    const firsts = new Map<string, number>();
    for (const { sessionId, startedAt } of this.#facts.sessions) {
      if (startedAt < from || startedAt >= to) continue;
      const unit = unitOf(this.#facts, sessionId);
      firsts.set(unit, Math.min(startedAt, firsts.get(unit) ?? startedAt));
    }
    const people = [...firsts].map(
      ([unit, firstAt]): Person => ({
        unit,
        firstAt,
        leftAt: Number.POSITIVE_INFINITY,
        variationKey: '',
        returning: false,
        bot: false,
      }),
    );
    const query = { now: to, until: to };
    if (metric.kind !== 'quantile') return this.#sums(metric, people, query);
    const over = people.filter((it) => isOver(metric, it, to));
    return this.#spread(metric, over, query);
  }

  #sums(metric: MetricTerm, people: readonly Person[], query: Scope): MetricSums {
    const over = people.filter((it) => isOver(metric, it, query.now));
    const results = over.map((it) => this.#resultOf(metric, it, query));
    const total = (pick: (it: Result) => number) => results.reduce((sum, it) => sum + pick(it), 0);
    return {
      visitors: over.length,
      pending: people.length - over.length,
      reached: results.filter(({ value }) => value > 0).length,
      value: { sum: total((it) => it.value), sumSquares: total((it) => it.value ** 2) },
      denominator: { sum: total((it) => it.other), sumSquares: total((it) => it.other ** 2) },
      product: total((it) => it.value * it.other),
      ...(metric.kind === 'funnel' && {
        steps: metric.steps.map((_, index) => results.filter(({ steps }) => steps > index).length),
      }),
    };
  }

  #resultOf(metric: MetricTerm, person: Person, query: Scope): Result {
    const none = { value: 0, other: 0, steps: 0 };
    const did = this.#during(metric, person, query);
    const capped = (value: number, cap: number | null) => (cap !== null && value > cap ? cap : value);
    switch (metric.kind) {
      case 'mean':
        return { ...none, value: capped(amountOf(metric.value, did), metric.cap) };
      case 'ratio': {
        const value = capped(amountOf(metric.numerator, did), metric.cap);
        return { ...none, value, other: amountOf(metric.denominator, did) };
      }
      case 'retention': {
        const isBack = did
          .filter(({ at }) => at >= person.firstAt + metric.fromMs)
          .some((it) => (metric.goalId === null ? it.active : isStep({ goalId: metric.goalId }, it)));
        return { ...none, value: isBack ? 1 : 0 };
      }
      case 'funnel': {
        const steps = stepsOf(metric.steps, did);
        return { ...none, steps, value: steps === metric.steps.length ? 1 : 0 };
      }
      case 'bounce':
        return { ...none, ...this.#bounces(metric.path, did) };
      default:
        return none;
    }
  }

  /** What the person did within their time. */
  #during(metric: MetricTerm, { unit, firstAt, leftAt }: Person, query: Scope): Did[] {
    const window = metric.kind === 'retention' ? metric.toMs : metric.withinMs;
    const end = window === null ? query.until : firstAt + window;
    return this.#did.filter(
      (it) =>
        it.at >= firstAt &&
        it.at < end &&
        it.at < leftAt &&
        unitOf(this.#facts, it.sessionId, query.unit) === unit,
    );
  }

  #bounces(path: string | null, did: readonly Did[]): { value: number; other: number } {
    let [value, other] = [0, 0];
    for (const sessionId of new Set(did.map((it) => it.sessionId))) {
      const own = did.filter((it) => it.sessionId === sessionId && it.isView);
      // The first page view of the session must be one of these, which it is not if it came before or has expired.
      const [entry] = this.#model.views(this.#propertyId, sessionId);
      const stored = this.#model.traffic(this.#propertyId).events;
      const isStored = stored.some(({ line }) => line !== undefined && line === entry);
      if (entry === undefined || !isStored || !own.some(({ at }) => at === entry.at)) continue;
      if (!matches(path, entry.url)) continue;
      other++;
      if (own.length === 1) value++;
    }
    return { value, other };
  }

  #spread(
    metric: Extract<MetricTerm, { kind: 'quantile' }>,
    people: readonly Person[],
    query: Scope,
  ): QuantileSpread {
    const lists = people
      .map((it) => this.#during(metric, it, query).flatMap((did) => measured(metric.value, did)))
      .filter((list) => list.length > 0);
    return spreadOf(lists, metric.quantile);
  }
}

type Scope = Pick<SplitTestMetricsQuery, 'now' | 'until' | 'unit'>;

interface Result {
  value: number;
  other: number;
  /** Number of steps of a funnel. */
  steps: number;
}

function isOver(metric: MetricTerm, { firstAt }: Person, now: number): boolean {
  const window = metric.kind === 'retention' ? metric.toMs : metric.withinMs;
  return window === null || firstAt + window <= now;
}

function amountOf(value: MetricValue, did: readonly Did[]): number {
  if (!('goalId' in value)) return did.filter((it) => isEvent(value, it)).length;
  const reached = did.flatMap(({ goal }) => (goal?.goalId === value.goalId ? [goal] : []));
  return reached.reduce((sum, it) => sum + (value.of === 'count' ? it.direction : it.micros / 1e6), 0);
}

const isEvent = (wanted: { path: string | null } | { event: string }, it: Did) =>
  'path' in wanted ? it.isView === true && matches(wanted.path, it.url) : it.event?.name === wanted.event;

const isStep = (step: FunnelStep, it: Did): boolean =>
  'goalId' in step ? it.goal?.goalId === step.goalId && it.goal.direction === 1 : isEvent(step, it);

/** The number of steps in order: each takes the earliest event that is left, at the time of the one before or later. */
function stepsOf(steps: readonly FunnelStep[], did: readonly Did[]): number {
  const left = did.map((it) => ({
    at: it.at,
    is: steps.map((step) => isStep(step, it)),
  }));
  let reached = 0;
  let now = Number.NEGATIVE_INFINITY;
  while (reached < steps.length) {
    const next = left
      .filter(({ at, is }) => at >= now && is[reached])
      .sort((a, b) => a.at - b.at || lastStepsFirst(a.is, b.is))[0];
    if (next === undefined) return reached;
    left.splice(left.indexOf(next), 1);
    now = next.at;
    reached++;
  }
  return reached;
}

/** Of several at the same time, the one that does not match the last step, and so on. */
function lastStepsFirst(a: readonly boolean[], b: readonly boolean[]): number {
  for (let index = a.length - 1; index >= 0; index--) {
    if (a[index] !== b[index]) return a[index] ? 1 : -1;
  }
  return 0;
}

/** Whether the path of a URL matches a pattern with `*`. */
function matches(pattern: string | null, url: string | undefined): boolean {
  if (pattern === null) return true;
  if (url === undefined || url === '') return false;
  let path = url.split(/[?#]/)[0]!;
  if (/^([a-z][a-z0-9+.-]*:)?\/\//i.test(path)) path = path.replace(/^[^/]*\/\/[^/]*/, '');
  if (!path.startsWith('/')) path = `/${path}`;
  return isLike(path, pattern);
}

function isLike(text: string, pattern: string): boolean {
  if (pattern === '') return text === '';
  if (pattern[0] !== '*') return text[0] === pattern[0] && isLike(text.slice(1), pattern.slice(1));
  for (let skipped = 0; skipped <= text.length; skipped++) {
    if (isLike(text.slice(skipped), pattern.slice(1))) return true;
  }
  return false;
}

function measured(value: MeasuredValue, { goal, event }: Did): number[] {
  if ('goalId' in value) {
    return goal?.goalId === value.goalId && goal.direction === 1 ? [goal.micros / 1e6] : [];
  }
  if (event?.name !== value.event) return [];
  const found: unknown = (JSON.parse(event.properties) as Record<string, unknown>)[value.property];
  return typeof found === 'number' && Number.isFinite(found) ? [found] : [];
}

/** @param lists the values of each visitor who has some */
function spreadOf(lists: readonly (readonly number[])[], quantile: number): QuantileSpread {
  const values = lists.flat().sort((a, b) => a - b);
  if (values.length === 0) return { visitors: 0, values: 0, value: null, standardError: null };
  const at = (share: number) => {
    const position = Math.ceil(share * values.length - 1e-9);
    return values[Math.min(values.length, Math.max(1, position)) - 1]!;
  };
  const value = at(quantile);
  const counted = { visitors: lists.length, values: values.length, value };
  if (lists.length < 2) return { ...counted, standardError: null };
  const share = values.filter((it) => it <= value).length / values.length;
  // How much each visitor contributes to the difference from the share.
  const residuals = lists.map((list) => list.filter((it) => it <= value).length - share * list.length);
  const squares = residuals.reduce((sum, it) => sum + it * it, 0);
  const variance = (squares / (lists.length - 1)) * (lists.length / values.length ** 2);
  const margin = 1.96 * Math.sqrt(variance);
  return { ...counted, standardError: (at(quantile + margin) - at(quantile - margin)) / (2 * 1.96) };
}
