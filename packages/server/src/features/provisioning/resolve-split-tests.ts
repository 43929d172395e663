import type { ProvisionedSplitTest } from '@switchyard/core/api/provisioning';
import type { SplitTest, Variation } from '../../storage/property-configuration.ts';
import type { Report } from './provision-mistake.ts';
import type { SplitTestSettings } from './provision-stores.ts';

interface Context {
  /** Goals that the file or the store has. */
  goalIds: ReadonlySet<string>;
  /** Place of the property. */
  path: string;
  report: Report;
}

export function resolveSplitTests(
  entries: readonly ProvisionedSplitTest[],
  stored: readonly SplitTest[],
  { goalIds, path, report }: Context,
): SplitTestSettings[] {
  return entries.map((entry, index) => {
    const place = `${path}/splitTests/${index}`;
    const known = stored.find((test) => test.key === entry.key);
    reportGoals(entry.goals ?? [], goalIds, `${place}/goals`, report);
    return resolveSplitTest(entry, known, place, report);
  });
}

function resolveSplitTest(
  entry: ProvisionedSplitTest,
  known: SplitTest | undefined,
  path: string,
  report: Report,
): SplitTestSettings {
  const type = entry.type ?? known?.type;
  if (type === undefined)
    report(`${path}/type`, 'is missing: a new split test needs a type, id, text or json');
  if (entry.variations === undefined && known === undefined) {
    report(`${path}/variations`, 'is missing: a new split test needs at least one variation');
  }
  const name = entry.name ?? known?.name;
  return {
    key: entry.key,
    ...(name === undefined ? {} : { name }),
    type: type ?? 'id',
    status: entry.status ?? known?.status ?? 'draft',
    hashSeed: entry.hashSeed ?? known?.hashSeed,
    trafficAllocation: entry.trafficAllocation ?? known?.trafficAllocation ?? 100,
    variations: resolveVariations(
      entry.variations ?? known?.variations ?? [],
      type,
      `${path}/variations`,
      report,
    ),
    goals: entry.goals ?? known?.goals ?? [],
  };
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
    if (seen.has(key)) report(`${place}/key`, `"${key}" is the key of another variation already`);
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

function reportGoals(
  goals: readonly string[],
  known: ReadonlySet<string>,
  path: string,
  report: Report,
): void {
  for (const [index, goal] of goals.entries()) {
    if (!known.has(goal)) report(`${path}/${index}`, `"${goal}" is not a goal of this property`);
    if (goals.indexOf(goal) !== index) report(`${path}/${index}`, `"${goal}" stands in this list already`);
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
