import { DEFAULT_ALPHA } from './alpha.ts';
import { type Analysis, METHODS, type Method } from './analysis.ts';
import { looksAt, type PlannedLooks } from './group-sequential/compare.ts';
import { DEFAULT_SPENDING, SPENDINGS } from './group-sequential/spending.ts';
import { DEFAULT_SEQUENTIAL_N } from './sequential.ts';
import type { VariationSums } from './sums.ts';

/** A validation error of one field; `field` is a path such as `variations[1].n`. */
export interface InputMistake {
  readonly field: string;
  readonly message: string;
}

type ReadResult = { readonly analysis: Analysis } | { readonly mistakes: readonly InputMistake[] };

const LOOK_FIELDS = ['plannedVisitors', 'earlierLooks', 'spending'] as const;
const FIELDS = [
  'method',
  'alpha',
  'sequentialN',
  ...LOOK_FIELDS,
  'metric',
  'nonNegative',
  'control',
  'variations',
  'weights',
];
const COVARIATES = ['covariateSum', 'covariateSumSquares', 'covariateProduct'] as const;
const VARIATION_FIELDS = ['key', 'n', 'sum', 'sumSquares', ...COVARIATES];
const METRICS = ['mean', 'proportion'] as const;

/** Boundaries for this many looks take about a second. */
const MAX_LOOKS = 100;

/** Relative tolerance for the rounding errors of sums of squares. */
const TOLERANCE = 1e-9;

/** Validates untrusted input; returns all mistakes at once. */
export function readAnalysis(input: unknown): ReadResult {
  const reader = new InputReader();
  if (!isRecord(input)) return { mistakes: [{ field: '(input)', message: 'must be an object' }] };
  reader.rejectUnknown('', input, FIELDS);
  const method = reader.oneOf<Method>('method', input.method, METHODS);
  const metric = reader.oneOf('metric', input.metric, METRICS);
  const alpha = input.alpha === undefined ? DEFAULT_ALPHA : reader.number('alpha', input.alpha);
  if (!(alpha > 0 && alpha < 1)) reader.mistake('alpha', 'must be greater than 0 and less than 1');
  const sequentialN =
    input.sequentialN === undefined ? DEFAULT_SEQUENTIAL_N : reader.number('sequentialN', input.sequentialN);
  if (!(sequentialN > 0)) reader.mistake('sequentialN', 'must be greater than 0');
  const variations = readVariations(reader, input.variations, metric);
  const looks = readLooks(reader, input, method, variations);
  const nonNegative = reader.optionalBoolean('nonNegative', input.nonNegative);
  const keys = variations.map(({ key }) => key);
  const control = reader.text('control', input.control);
  if (keys.length > 0 && !keys.includes(control)) {
    reader.mistake('control', `must be the key of a variation: ${keys.map((key) => `"${key}"`).join(', ')}`);
  }
  // Weights can only be checked if all keys are known.
  const canReadWeights = input.weights !== undefined && keys.length > 0 && !keys.includes('');
  const weights = canReadWeights ? readWeights(reader, input.weights, keys) : undefined;
  if (reader.mistakes.length > 0) return { mistakes: reader.mistakes };
  return {
    analysis: {
      method,
      metric,
      alpha,
      sequentialN,
      control,
      variations,
      weights,
      ...(looks && { looks }),
      ...(nonNegative !== undefined && { nonNegative }),
    },
  };
}

/** The current look is at the visitors of all variations. */
function readLooks(
  reader: InputReader,
  input: Record<string, unknown>,
  method: Method,
  variations: readonly VariationSums[],
): PlannedLooks | undefined {
  if (method !== 'group-sequential') {
    for (const field of LOOK_FIELDS) {
      if (input[field] !== undefined) reader.mistake(field, 'is only for the method "group-sequential"');
    }
    return undefined;
  }
  const planned = reader.number('plannedVisitors', input.plannedVisitors);
  if (!(planned > 0)) reader.mistake('plannedVisitors', 'must be greater than 0');
  const { earlierLooks = [], spending = DEFAULT_SPENDING } = input;
  const visitors = variations.reduce((sum, { n }) => sum + n, 0);
  const all = Array.isArray(earlierLooks) ? [...earlierLooks, visitors] : [];
  const isAscending = all.every((count, i) => typeof count === 'number' && count > (all[i - 1] ?? 0));
  // Without visitors there is no comparison, and no look.
  if (all.length === 0 || all.length > MAX_LOOKS || (!isAscending && visitors > 0)) {
    reader.mistake(
      'earlierLooks',
      `must be at most ${MAX_LOOKS - 1} numbers of visitors in ascending order, below the current number`,
    );
  }
  const kind = reader.oneOf('spending', spending, SPENDINGS);
  return reader.mistakes.length > 0 || visitors === 0 ? undefined : looksAt(all, planned, kind);
}

function readVariations(
  reader: InputReader,
  input: unknown,
  metric: (typeof METRICS)[number],
): (VariationSums & { key: string })[] {
  if (!Array.isArray(input) || input.length < 2) {
    reader.mistake('variations', 'must be a list of at least two variations');
    return [];
  }
  const covariates = input.some(
    (each) => isRecord(each) && COVARIATES.some((name) => each[name] !== undefined),
  );
  const variations = input.map((each: unknown, index) => {
    const path = `variations[${index}]`;
    if (isRecord(each)) return readVariation(reader, path, each, metric, covariates);
    reader.mistake(path, 'must be an object');
    return { key: '', n: 0, sum: 0, sumSquares: 0 };
  });
  for (const [index, { key }] of variations.entries()) {
    if (key !== '' && variations.findIndex((each) => each.key === key) < index) {
      reader.mistake(`variations[${index}].key`, `"${key}" is a duplicate`);
    }
  }
  return variations;
}

function readVariation(
  reader: InputReader,
  path: string,
  input: Record<string, unknown>,
  metric: (typeof METRICS)[number],
  covariates: boolean,
): VariationSums & { key: string } {
  reader.rejectUnknown(`${path}.`, input, VARIATION_FIELDS);
  const key = reader.text(`${path}.key`, input.key);
  const n = reader.number(`${path}.n`, input.n);
  if (n < 0 || (Number.isFinite(n) && !Number.isSafeInteger(n))) {
    reader.mistake(`${path}.n`, 'must be an integer number of visitors, at least 0');
  }
  const sum = reader.number(`${path}.sum`, input.sum);
  if (metric === 'proportion' && (sum < 0 || sum > n || (Number.isFinite(sum) && !Number.isInteger(sum)))) {
    reader.mistake(`${path}.sum`, 'must be an integer number of converted visitors, from 0 to n');
  } else if (n === 0 && sum !== 0) reader.mistake(`${path}.sum`, 'must be 0 when n is 0');
  const isOmitted = metric === 'proportion' && input.sumSquares === undefined;
  const sumSquares = isOmitted ? sum : reader.number(`${path}.sumSquares`, input.sumSquares);
  if (metric === 'proportion') {
    if (Math.abs(sumSquares - sum) > 0) reader.mistake(`${path}.sumSquares`, 'must equal sum, or be omitted');
  } else reader.checkSquares(`${path}.sumSquares`, n, sum, sumSquares);
  if (!covariates) return { key, n, sum, sumSquares };
  const [covariateSum, covariateSumSquares, covariateProduct] = COVARIATES.map((name) =>
    reader.number(
      `${path}.${name}`,
      input[name],
      'is missing: either all variations have all covariate sums, or none has any',
    ),
  ) as [number, number, number];
  reader.checkSquares(`${path}.covariateSumSquares`, n, covariateSum, covariateSumSquares);
  const own = { n, sum, sumSquares };
  reader.checkProduct(`${path}.covariateProduct`, own, {
    covariateSum,
    covariateSumSquares,
    covariateProduct,
  });
  return {
    key,
    ...own,
    covariates: { sums: [covariateSum], products: [[covariateSumSquares]], shared: [covariateProduct] },
  };
}

/** An object by key, or a list in the order of the variations. */
function readWeights(reader: InputReader, input: unknown, keys: readonly string[]): number[] {
  const byKey = isRecord(input);
  if (!byKey && !Array.isArray(input)) {
    reader.mistake(
      'weights',
      'must be an object with a weight for each key, or a list in the order of the variations',
    );
    return [];
  }
  if (byKey) reader.rejectUnknown('weights.', input, keys);
  else if (input.length !== keys.length) {
    reader.mistake('weights', `must have ${keys.length} weights, one for each variation`);
    return [];
  }
  const weights = keys.map((key, index) => {
    const path = byKey ? `weights.${key}` : `weights[${index}]`;
    const value = byKey ? (Object.hasOwn(input, key) ? input[key] : undefined) : input[index];
    const weight = reader.number(path, value);
    if (weight < 0) reader.mistake(path, 'must be 0 or more');
    return weight;
  });
  if (weights.filter((weight) => weight !== 0).length < 2) {
    reader.mistake('weights', 'must have a weight above 0 for at least two variations');
  }
  return weights;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Collects one mistake per field. An invalid number is read as NaN, so that later comparisons report nothing. */
class InputReader {
  readonly mistakes: InputMistake[] = [];

  mistake(field: string, message: string): void {
    if (!this.mistakes.some((known) => known.field === field)) this.mistakes.push({ field, message });
  }

  number(field: string, value: unknown, missing = 'is missing'): number {
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    this.mistake(field, value === undefined ? missing : 'must be a number');
    return Number.NaN;
  }

  optionalBoolean(field: string, value: unknown): boolean | undefined {
    if (value === undefined || typeof value === 'boolean') return value;
    this.mistake(field, 'must be true or false');
    return undefined;
  }

  text(field: string, value: unknown): string {
    if (typeof value === 'string' && value !== '') return value;
    this.mistake(field, value === undefined ? 'is missing' : 'must be a non-empty string');
    return '';
  }

  oneOf<T extends string>(field: string, value: unknown, allowed: readonly T[]): T {
    const valid = allowed.find((each) => each === value);
    if (valid !== undefined) return valid;
    const choices = allowed.map((each) => `"${each}"`).join(', ');
    this.mistake(
      field,
      value === undefined ? `is missing; it must be one of ${choices}` : `must be one of ${choices}`,
    );
    return allowed[0]!;
  }

  rejectUnknown(prefix: string, input: Record<string, unknown>, known: readonly string[]): void {
    for (const name of Object.keys(input)) {
      if (!known.includes(name)) this.mistake(`${prefix}${name}`, 'is an unknown field');
    }
  }

  checkSquares(field: string, n: number, sum: number, sumSquares: number): void {
    if (sumSquares < 0) this.mistake(field, 'must be 0 or more');
    else if (n === 0) {
      if (Math.abs(sumSquares) > 0) this.mistake(field, 'must be 0 when n is 0');
    } else if (sumSquares * (1 + TOLERANCE) < (sum / n) * sum) {
      this.mistake(field, 'is too small for this n and sum (at least sum * sum / n)');
    }
  }

  checkProduct(
    field: string,
    { n, sum, sumSquares }: VariationSums,
    { covariateSum, covariateSumSquares, covariateProduct }: Record<(typeof COVARIATES)[number], number>,
  ): void {
    if (n === 0) {
      if (Math.abs(covariateProduct) > 0) this.mistake(field, 'must be 0 when n is 0');
      return;
    }
    const spread = sumSquares - (sum / n) * sum;
    const covariateSpread = covariateSumSquares - (covariateSum / n) * covariateSum;
    const shared = covariateProduct - (sum / n) * covariateSum;
    const tolerance = TOLERANCE * (sumSquares * covariateSumSquares);
    // A negative spread is a mistake in the sum of squares, which is reported there.
    if (spread >= 0 && covariateSpread >= 0 && shared * shared > spread * covariateSpread + tolerance) {
      this.mistake(field, 'is impossible with these sums');
    }
  }
}
