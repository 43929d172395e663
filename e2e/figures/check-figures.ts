import type { SeededRandom } from '../support/random.ts';
import { differences } from '../truth/differences.ts';
import {
  expectedConversions,
  expectedFeedback,
  expectedProgress,
  expectedSession,
  expectedSummary,
  expectedTimeline,
} from './expected-lists.ts';
import {
  DIMENSIONS,
  expectedBreakdown,
  expectedDays,
  expectedTotals,
  type Filters,
  matches,
  type Scope,
} from './expected-traffic.ts';
import type { LocalDays } from './local-days.ts';
import type { Session, VisitLog } from './visit-log.ts';
import type { Row, VisitPlayer } from './visit-player.ts';
import { DAY_MS, GOALS } from './visits.ts';

const FILTERS: Filters[] = [
  { page: '/pricing' },
  { page: '(none)' },
  { entryPage: '/', device: 'desktop' },
  { referrer: 'search.example' },
  { referrer: '(none)', utmSource: 'newsletter' },
  { country: '(none)' },
  { device: '(none)' },
  { exitPage: '/checkout' },
];

/** All disagreements between what the server reports of a period and what the list of events says. */
export class FigureCheck {
  readonly #player: VisitPlayer;
  readonly #log: VisitLog;
  readonly #random: SeededRandom;
  readonly #days: LocalDays;
  readonly #found: string[] = [];

  constructor(player: VisitPlayer, log: VisitLog, options: { random: SeededRandom; days: LocalDays }) {
    this.#player = player;
    this.#log = log;
    this.#random = options.random;
    this.#days = options.days;
  }

  /**
   * @param from the beginning of the days whose events are all stored
   * @param thoroughly false: only what changes most, which takes a third of the time
   */
  async disagreements(from: number, to: number, thoroughly: boolean): Promise<string[]> {
    await this.#checkTraffic({ from, to, bots: 'exclude', filters: {} });
    await this.#checkSessions();
    await this.#checkLists();
    await this.#checkCounts({ from, to, bots: 'exclude' });
    if (!thoroughly) return this.#found;
    await this.#checkTraffic({ from, to, bots: 'exclude', filters: this.#random.pick(FILTERS) });
    await this.#checkTraffic({ from, to, bots: 'only', filters: {} });
    await this.#checkTraffic({ from, to, bots: 'only', filters: this.#random.pick(FILTERS) });
    await this.#checkCounts({ from, to, bots: 'include' });
    await this.#checkPrevious(from, to);
    return this.#found;
  }

  #compare(where: string, expected: unknown, actual: unknown): void {
    this.#found.push(...differences(expected, actual, where));
  }

  async #checkTraffic(scope: Scope): Promise<void> {
    const { filters, ...period } = scope;
    const query = { ...period, ...filters };
    const name = `traffic ${JSON.stringify({ bots: scope.bots, ...filters })}`;
    const summary = await this.#player.read('/v1/traffic/summary', query);
    this.#compare(`${name} summary`, expectedTotals(this.#log, scope), summary.current);
    const series = await this.#player.read('/v1/traffic/series', { ...query, interval: 'day' });
    this.#compare(`${name} series`, expectedDays(this.#log, scope, this.#days), series.buckets);
    for (const by of DIMENSIONS) {
      const { rows } = await this.#player.read('/v1/traffic/breakdown', { ...query, by, limit: 500 });
      const actual = Object.fromEntries(rows.map(({ value, ...row }: Row) => [value ?? '(none)', row]));
      const expected = expectedBreakdown(this.#log, scope, by);
      this.#compare(`${name} by ${by}`, expected, actual);
      this.#compare(`${name} values of ${by}`, Object.keys(expected).sort(), Object.keys(actual).sort());
    }
  }

  async #checkSessions(): Promise<void> {
    const all = this.#log.sessions();
    const list = (filter: Record<string, string>) =>
      this.#player.list('/v1/sessions', 'sessions', { ...filter });
    this.#compareSessions('sessions', all, await list({}));
    const { page = '/pricing', country = 'NL', device = 'mobile' } = this.#random.pick(FILTERS);
    for (const filters of [{ page }, { country, device }] as Record<string, string>[]) {
      const own = all.filter((it) => matches(it, filters));
      this.#compareSessions(`sessions ${JSON.stringify(filters)}`, own, await list(filters));
    }
    for (const member of ['visitorId', 'userId'] as const) {
      const id = this.#random.pick(all.flatMap((it) => it[member] ?? []));
      const own = all.filter((it) => it[member] === id);
      this.#compareSessions(`sessions of ${id}`, own, await list({ [member]: id }));
    }
    const people = all.filter(({ bot }) => !bot);
    this.#compareSessions('sessions of people', people, await list({ bots: 'exclude' }));
    for (let count = 0; count < 5; count++) {
      const session = this.#random.pick(all);
      const { timeline } = await this.#player.read(`/v1/sessions/${session.sessionId}`);
      // Entries of the same time may be in any order.
      const sorted = (entries: object[]) =>
        entries.toSorted((a, b) => orderOf(a as Row).localeCompare(orderOf(b as Row)));
      this.#compare('timeline', sorted(expectedTimeline(session)), sorted(timeline));
    }
  }

  #compareSessions(where: string, expected: Session[], actual: Row[]): void {
    const rows = Object.fromEntries(actual.map((row) => [row.sessionId, row]));
    this.#compare(where, Object.fromEntries(expected.map((it) => [it.sessionId, expectedSession(it)])), rows);
    this.#compare(`${where}: number`, expected.length, actual.length);
    const starts = actual.map(({ startedAt }) => startedAt);
    this.#compare(
      `${where}: order`,
      starts.toSorted((a, b) => b - a),
      starts,
    );
  }

  async #checkLists(): Promise<void> {
    for (const [path, member, expected] of [
      ['/v1/goals/conversions', 'conversions', expectedConversions(this.#log)],
      ['/v1/feedback', 'feedback', expectedFeedback(this.#log)],
    ] as const) {
      this.#compare(path, expected, await this.#player.list(path, member, {}));
      for (const filter of ['visitorId', 'userId', 'sessionId'] as const) {
        const ids = expected.flatMap((it) => it[filter] ?? []);
        if (ids.length === 0) continue;
        const id = this.#random.pick(ids);
        const own = (expected as Row[]).filter((it) => it[filter] === id);
        this.#compare(`${path} of ${id}`, own, await this.#player.list(path, member, { [filter]: id }));
      }
    }
  }

  async #checkCounts(period: { from: number; to: number; bots: 'exclude' | 'include' }): Promise<void> {
    const scope = { ...period, days: this.#days };
    for (const { id } of GOALS) {
      const actual = await this.#player.read('/v1/goals/progress', { goalId: id, ...period });
      const where = `progress of ${id} with bots ${period.bots}`;
      this.#compare(where, expectedProgress(this.#log, id, scope), actual);
    }
    const { options, ...summary } = await this.#player.read('/v1/feedback/summary', { ...period });
    const counts = Object.fromEntries(options.map(({ option, count }: Row) => [option, count]));
    const where = `feedback with bots ${period.bots}`;
    this.#compare(where, expectedSummary(this.#log, scope), { ...summary, options: counts });
  }

  /** Yesterday and today until now are compared with the two days before, until the same time; at midnight, with one. */
  async #checkPrevious(keptFrom: number, now: number): Promise<void> {
    const days = this.#days;
    const from = days.startOf(days.startOf(now) - DAY_MS / 2);
    const span = days.startOf(now) === now ? 1 : 2;
    const before = { from: days.sameTimeBefore(from, span), to: days.sameTimeBefore(now, span) };
    if (before.from < keptFrom) return;
    const scope = { ...before, bots: 'exclude', filters: {} } as const;
    const summary = await this.#player.read('/v1/traffic/summary', { from, to: now });
    this.#compare('previous traffic', expectedTotals(this.#log, scope), summary.previous);
    this.#compare('previous period of traffic', before, summary.previousPeriod);
    for (const { id } of GOALS) {
      const actual = await this.#player.read('/v1/goals/progress', { goalId: id, from, to: now });
      const { current: previous } = expectedProgress(this.#log, id, { ...scope, days });
      this.#compare(`previous progress of ${id}`, previous, actual.previous);
    }
    const { total } = expectedSummary(this.#log, { ...scope, days });
    const feedback = await this.#player.read('/v1/feedback/summary', { from, to: now });
    this.#compare('previous feedback', { total }, feedback.previous);
  }
}

const orderOf = ({ at, type, url = '', variationKey = '', goalId = '', amount = '' }: Row) =>
  [at, type, url, variationKey, goalId, amount].join(' ');
