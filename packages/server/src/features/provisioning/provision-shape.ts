import { ProvisionFile } from '@switchyard/core/api/provisioning';
import { formatPointer, parsePointer, valueAt } from '@switchyard/core/merge/json-pointer';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { describeShapeError, shapePointer } from '../../http/contract/shape-messages.ts';
import type { ProvisionMistake } from './provision-mistake.ts';
import { isKnownToBeValid } from './provision-precheck.ts';

export interface ShapedFile {
  /** The content without its invalid parts, so that the rest can be checked too. */
  file: ProvisionFile;
  mistakes: ProvisionMistake[];
  /** Converts a path in `file` to a path in the content. */
  originalPath(path: string): string;
}

type Indices = WeakMap<readonly unknown[], number[]>;

/** Enough for any real provision file; a file of another kind could have far more. */
const MAX_MISTAKES = 1000;

let compiled: ValidateFunction<ProvisionFile> | undefined;

/** Compiled on first use, and quickly: most processes check no file, or a valid one. */
function validator(): ValidateFunction<ProvisionFile> {
  compiled ??= new Ajv({
    allErrors: true,
    verbose: true,
    // Strict mode would reject `x-hint` and `examples`, which Ajv does not know.
    strict: false,
    validateSchema: false,
    code: { optimize: false },
  }).compile<ProvisionFile>(ProvisionFile);
  return compiled;
}

/** Checks the content against the schema; reports and removes the smallest invalid parts. */
export function shapeProvisionFile(content: unknown): ShapedFile {
  const mistakes: ProvisionMistake[] = [];
  const removed = new Set<string>();
  for (;;) {
    const indices: Indices = new WeakMap();
    const pruned = removed.has('') ? { properties: [] } : prune(content, '', removed, indices);
    const originalPath = (path: string) => restorePath(pruned, path, indices);
    if (isKnownToBeValid(pruned)) return { file: pruned as ProvisionFile, mistakes, originalPath };
    const validate = validator();
    if (validate(pruned)) return { file: pruned, mistakes, originalPath };
    const errors = validate.errors ?? [];
    if (removed.size === 0) mistakes.push(...describeAll(errors.slice(0, MAX_MISTAKES)));
    for (const error of errors) removed.add(restorePath(pruned, shapePointer(error), indices));
  }
}

function describeAll(errors: readonly ErrorObject[]): ProvisionMistake[] {
  return errors.flatMap((error) => {
    const message = describeShapeError(error, errors);
    return message === undefined ? [] : [{ path: shapePointer(error), message }];
  });
}

function prune(value: unknown, path: string, removed: ReadonlySet<string>, indices: Indices): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const remaining = Object.entries(value).filter(([name]) => !removed.has(path + formatPointer([name])));
  const members = remaining.map(([name, member]) => {
    return [name, prune(member, path + formatPointer([name]), removed, indices)] as const;
  });
  // Not assigned one by one: a member called `__proto__` must stay an unknown field.
  if (!Array.isArray(value)) return Object.fromEntries(members);
  const list = members.map(([, member]) => member);
  indices.set(
    list,
    remaining.map(([index]) => Number(index)),
  );
  return list;
}

function restorePath(pruned: unknown, path: string, indices: Indices): string {
  let value = pruned;
  const parts = parsePointer(path).map((part) => {
    const original = Array.isArray(value) ? (indices.get(value)?.[Number(part)] ?? part) : part;
    value = valueAt(value, formatPointer([part]));
    return original;
  });
  return formatPointer(parts);
}
