import { differences } from './differences.ts';
import { DAY_MS, type History } from './history.ts';
import { analysesOf, expectedGroups, expectedResults, type PhaseAnalysis } from './naive/analysis.ts';
import { expectedSegments } from './naive/breakdown.ts';
import { expectedFeedback } from './naive/feedback.ts';
import { expectedMetrics } from './naive/measured.ts';
import { expectedProgress } from './naive/progress.ts';
import { recordedUntil } from './naive/recorded.ts';
import { expectedSeries } from './naive/series.ts';
import type { Player } from './player.ts';

type Row = Record<string, string | number>;

type Bots = 'exclude' | 'include';

/**
 * All disagreements between what the server reports now and what the list of events says.
 *
 * @param thoroughly false: only what changes most, which takes a third of the time
 */
export async function disagreements(
  player: Player,
  history: History,
  now: number,
  thoroughly: boolean,
): Promise<string[]> {
  const found: string[] = [];
  const add = (where: string, list: string[]) => found.push(...list.map((it) => `${where} ${it}`));
  for (const analysis of analysesOf(history, now)) {
    const phase = `${analysis.test.key}, phase ${analysis.phase.number},`;
    // Measured rules take the same way from there on.
    const isRule = analysis.test.flag !== undefined;
    const isWhole = thoroughly && !isRule;
    for (const bots of isWhole ? (['exclude', 'include'] as const) : (['exclude'] as const)) {
      const more = await checkResults(player, analysis, bots, thoroughly || !isRule);
      add(`${phase} bots ${bots}, results`, more);
    }
    add(`${phase} bundle`, await checkBundle(player, analysis));
    if (!thoroughly) continue;
    for (const by of isRule ? [] : ['country', 'page']) {
      add(`${phase} breakdown`, await checkBreakdown(player, analysis, by));
    }
    // Metrics have columns of their own, with the same figures as the results.
    if (analysis.test.metrics === undefined) {
      add(`${phase} csv`, await checkCsv(player, analysis, 'exclude'));
    }
  }
  found.push(...checkServed(player, history, now));
  found.push(...(await checkProgress(player, history, now)));
  return found;
}

/** A measured rule has reports of its own. */
function reportOf({ test: { key, flag }, phase }: PhaseAnalysis) {
  const number = { phase: String(phase.number) };
  if (flag === undefined) return { path: '/v1/split-testing', query: { splitTestKey: key, ...number } };
  const { flagKey, ruleId } = flag;
  return { path: '/v1/flags', query: { flagKey, ruleId, ...number } };
}

/** What evaluations said is what was recorded for them. */
function checkServed(player: Player, history: History, now: number): string[] {
  const expected = [...recordedUntil(history, now).served];
  return expected.flatMap(([evaluation, value]) => {
    const actual = player.served.get(evaluation);
    return actual === value ? [] : [`${JSON.stringify(evaluation)}: expected ${value}, got ${actual}`];
  });
}

/** In several requests, because an emulated engine takes longer for all of it than a report may take; counts are cached. */
async function checkResults(
  player: Player,
  analysis: PhaseAnalysis,
  bots: Bots,
  withSeries: boolean,
): Promise<string[]> {
  const by = 'plan';
  const includeBots = bots === 'include';
  const report = reportOf(analysis);
  const read = async (query: Record<string, string>) =>
    (await player.read(`${report.path}/results`, { ...report.query, bots, ...query })).body;
  const segments = expectedSegments(analysis, by, includeBots);
  const results = expectedResults(analysis, bots);
  const goals = [...results.goals, ...expectedMetrics(analysis, includeBots)];
  const expected = { ...results, goals, breakdown: { by, segments } };
  await read({});
  const found = differences(expected, await read({ by }));
  if (!withSeries) return found;
  const series = expectedSeries(analysis, includeBots);
  found.push(...differences({ series }, await read({ include: 'series' })));
  const feedback = expectedFeedback(analysis);
  found.push(...differences({ feedback }, await read({ include: 'feedback' })));
  return found;
}

async function checkBreakdown(player: Player, analysis: PhaseAnalysis, by: string): Promise<string[]> {
  const { path, query } = reportOf(analysis);
  const { body } = await player.read(`${path}/results`, { ...query, by });
  return differences({ by, segments: expectedSegments(analysis, by, false) }, body.breakdown);
}

/** The groups of a bundle are added up over early and late visitors. */
async function checkBundle(player: Player, analysis: PhaseAnalysis): Promise<string[]> {
  const report = reportOf(analysis);
  const query = { ...report.query, bots: 'include', format: 'bundle' };
  const { body } = await player.read(`${report.path}/results/export`, query);
  const expected = expectedGroups(analysis);
  const measured = new Set(analysis.outcomes.map(({ id }) => id));
  const actual: Record<string, Sums> = {};
  for (const { variationKey, firstVariationKey, moved, returning, bot, visitors, before, goals } of body.input
    .groups) {
    const key = JSON.stringify({ variationKey, firstVariationKey, moved, returning, bot });
    const own = goals
      .filter(({ goalId }: { goalId: string }) => measured.has(goalId))
      .map(({ goalId, ...sums }: { goalId: string }) => [goalId, sums]);
    actual[key] = addSums(actual[key], { visitors, before, goals: Object.fromEntries(own) });
  }
  const extra = Object.keys(actual).filter((key) => expected[key] === undefined);
  // A goal that nobody in the group has reached may be left out.
  for (const [key, group] of Object.entries(expected)) {
    for (const [id, sums] of Object.entries(group.goals)) {
      const own = actual[key]?.goals as Sums | undefined;
      if (own !== undefined && own[id] === undefined) own[id] = zeroed(sums as Sums);
    }
  }
  return [...differences(expected, actual), ...extra.map((key) => `${key}: not expected`)];
}

interface Sums {
  [name: string]: number | Sums | null | undefined;
}

function addSums(left: Sums | undefined, right: Sums): Sums {
  if (left === undefined) return right;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const [a, b] = [left[name], right[name]];
      if (typeof a === 'number' || typeof b === 'number') return [name, Number(a ?? 0) + Number(b ?? 0)];
      return [name, a && b ? addSums(a as Sums, b as Sums) : (a ?? b)];
    }),
  );
}

const zeroed = (sums: Sums): Sums =>
  Object.fromEntries(
    Object.entries(sums).map(([name, value]) => [
      name,
      typeof value === 'object' ? zeroed(value as Sums) : 0,
    ]),
  );

async function checkCsv(player: Player, analysis: PhaseAnalysis, bots: Bots): Promise<string[]> {
  const report = reportOf(analysis);
  const query = { ...report.query, bots, format: 'csv' };
  const { text } = await player.read(`${report.path}/results/export`, query);
  const [header, ...lines] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','));
  const actual = lines.map(
    (line): Row =>
      Object.fromEntries(
        line.map((cell, index) => [
          header![index]!,
          Number.isNaN(Number(cell)) || cell === '' ? cell : Number(cell),
        ]),
      ),
  );
  const { variations, goals } = expectedResults(analysis, bots);
  const expected = variations.flatMap(({ key, weight, exposures, visitors, bots: crawlers }, index) =>
    goals.map(({ goalId, role, counts }): Row => {
      const { converted, conversions, amount, convertedAmount, ...rest } = counts[index]!;
      return {
        split_test: analysis.test.key,
        phase: analysis.phase.number,
        variation: key,
        weight: weight!,
        exposures,
        visitors,
        bots: crawlers,
        goal: goalId,
        goal_role: role,
        converted_visitors: converted,
        conversions: conversions.sum,
        conversions_sum_squares: conversions.sumSquares,
        amount: amount.sum,
        amount_sum_squares: amount.sumSquares,
        converted_amount: convertedAmount,
        answered_visitors: 'answered' in rest ? rest.answered! : '',
      };
    }),
  );
  return differences(expected, actual);
}

async function checkProgress(player: Player, history: History, now: number): Promise<string[]> {
  const found: string[] = [];
  const recorded = recordedUntil(history, now);
  for (const goal of history.setup.goals) {
    for (const days of [3.4, 30.1]) {
      const [from, to] = [Math.round(now - days * DAY_MS), now + 1];
      const query = { goalId: goal.id, from: String(from), to: String(to), bots: 'include' };
      const { body } = await player.read('/v1/goals/progress', query);
      const expected = expectedProgress(recorded, goal, from, to);
      found.push(...differences(expected, body, `progress of ${goal.id}`));
    }
  }
  return found;
}
