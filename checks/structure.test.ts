import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const MAX_LINES = 500;

const files = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) => file !== '' && !file.endsWith('.d.ts'));

const read = (file: string) => readFileSync(file, 'utf8');
const isTest = (file: string) => /\.(test|contract)\.ts$|\/testing\//.test(file);

/** Modules in `import … from '…'`, `export … from '…'` and `import('…')`; relative ones as paths in the repository. */
function imports(file: string): { target: string; typeOnly: boolean }[] {
  const pattern =
    /^(import|export)(\s+type)?\b[^'"]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm;
  return [...read(file).matchAll(pattern)].map((match) => {
    const name = match[3] ?? match[4]!;
    const target = name.startsWith('.') ? normalize(join(dirname(file), name)) : name;
    return { target, typeOnly: match[2] !== undefined };
  });
}

/** Imports of the files in a folder that no pattern allows. */
function violations(folder: RegExp, allowed: readonly RegExp[]): string[] {
  return files
    .filter((file) => folder.test(file) && !isTest(file))
    .flatMap((file) => imports(file).map(({ target }) => ({ file, target })))
    .filter(({ target }) => !allowed.some((pattern) => pattern.test(target)))
    .map(({ file, target }) => `${file} imports ${target}`);
}

const library = /^(?!@switchyard\/)[@a-z]/;

describe('import walls', () => {
  it('core imports nothing; its schemas import only the schema library', () => {
    expect(violations(/^packages\/core\/src\/api\//, [/^typebox$/, /^packages\/core\/src\/api\//])).toEqual(
      [],
    );
    expect(violations(/^packages\/core\/src\/(?!api\/)/, [/^packages\/core\/src\//])).toEqual([]);
    const values = files
      .filter((file) => /^packages\/core\/src\/evaluation\//.test(file) && !isTest(file))
      .flatMap((file) =>
        imports(file).filter(({ target, typeOnly }) => target.includes('/api/') && !typeOnly),
      )
      .map(({ target }) => target);
    // `OPERATORS` and the like would pull the schema library into browsers.
    expect(values).toEqual([]);
  });

  it('the frozen report computation imports only what later versions do not change', () => {
    const stats = 'packages/core/src/stats';
    const unchanged =
      'arm|sums|cuped|multiple-testing|sample-ratio|distributions/[a-z-]+|report/report-(counts|input)';
    const allowed = [
      new RegExp(`^${stats}/(version-1/[a-z-]+|${unchanged})\\.ts$`),
      /^packages\/core\/src\/(time|money)\.ts$/,
    ];
    expect(violations(new RegExp(`^${stats}/version-1/`), allowed)).toEqual([]);
  });

  it('the SDK imports only evaluation from core; browser code imports nothing else', () => {
    const own = [/^@switchyard\/core\/evaluation\//, /^packages\/sdk\/src\//];
    expect(violations(/^packages\/sdk\/src\/(client|browser)\//, own)).toEqual([]);
    expect(violations(/^packages\/sdk\/src\/react\//, [...own, /^react$/])).toEqual([]);
    expect(violations(/^packages\/sdk\/src\/node\//, [...own, /^node:/, /^(re2js|isbot)$/])).toEqual([]);
    expect(
      violations(/^packages\/sdk\/src\/openfeature\//, [...own, /^@openfeature\/(core|server-sdk)$/]),
    ).toEqual([]);
  });

  it('storage imports no feature and no HTTP code', () => {
    const allowed = [library, /^@switchyard\/core\//, /^packages\/server\/src\/storage\//];
    expect(violations(/^packages\/server\/src\/storage\//, allowed)).toEqual([]);
  });

  it('http imports storage, but no feature', () => {
    const allowed = [
      library,
      /^@switchyard\/core\//,
      /^packages\/server\/src\/(http\/|storage\/|errors\.ts|config\.ts)/,
    ];
    expect(violations(/^packages\/server\/src\/http\//, allowed)).toEqual([]);
  });

  it('features do not import each other', () => {
    const features = new Set(
      files.map((file) => /^packages\/server\/src\/features\/([^/]+)\//.exec(file)?.[1]),
    );
    features.delete(undefined);
    expect(features.size).toBeGreaterThan(5);
    for (const feature of features) {
      const own = new RegExp(
        `^packages/server/src/(features/${feature}/|http/|storage/|errors\\.ts|config\\.ts)`,
      );
      expect(
        violations(new RegExp(`^packages/server/src/features/${feature}/`), [
          library,
          /^@switchyard\/core\//,
          own,
        ]),
      ).toEqual([]);
    }
  });

  it('only the CLI reads the environment', () => {
    const readers = files.filter(
      (file) => /^packages\/[^/]+\/src\//.test(file) && !isTest(file) && /process\.env\b/.test(read(file)),
    );
    expect(readers.filter((file) => !/^packages\/server\/src\/cli\//.test(file))).toEqual([]);
  });
});

describe('budgets', () => {
  it(`no file has more than ${MAX_LINES} lines`, () => {
    const long = files
      .map((file) => ({ file, lines: read(file).split('\n').length }))
      .filter(({ lines }) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });
});
