import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configurationModel } from '../packages/server/src/start/definitions.ts';

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

  it('the SDK imports only evaluation, cleaning and `Retry-After` from core; browser code imports nothing else', () => {
    const own = [/^@switchyard\/core\/((evaluation|cleaning)\/|retry-after$)/, /^packages\/sdk\/src\//];
    expect(violations(/^packages\/sdk\/src\/(client|browser|debug|narration)\//, own)).toEqual([]);
    expect(violations(/^packages\/sdk\/src\/react\//, [...own, /^react$/])).toEqual([]);
    expect(violations(/^packages\/sdk\/src\/node\//, [...own, /^node:/, /^(re2js|isbot)$/])).toEqual([]);
    expect(
      violations(/^packages\/sdk\/src\/openfeature\//, [...own, /^@openfeature\/(core|server-sdk)$/]),
    ).toEqual([]);
  });

  it('the dashboard imports only core; its components know no feature', () => {
    const own = [library, /^@switchyard\/core\//, /^packages\/dashboard\/src\//];
    expect(violations(/^packages\/dashboard\/src\//, own)).toEqual([]);
    const components = [
      library,
      /^@switchyard\/core\/time-zone$/,
      /^packages\/dashboard\/src\/(ui\/|api\.ts)/,
    ];
    expect(violations(/^packages\/dashboard\/src\/ui\//, components)).toEqual([]);
    // Schemas would pull the schema library into browsers; constants in files of their own are fine.
    const schemas = files
      .filter((file) => /^packages\/dashboard\/src\//.test(file))
      .flatMap((file) => imports(file).filter(({ typeOnly }) => !typeOnly))
      .map(({ target }) => /^@switchyard\/core\/(api\/.+)$/.exec(target)?.[1])
      .filter((path) => path !== undefined && imports(`packages/core/src/${path}.ts`).length > 0);
    expect(schemas).toEqual([]);
  });

  it('the documentation imports nothing of the product', () => {
    const own = [/^(?!@switchyard\/)(node:|[@a-z])/, /^packages\/docs\/src\//];
    expect(violations(/^packages\/docs\/src\//, own)).toEqual([]);
  });

  it('the naive analysis of the test with a known truth imports nothing of the product', () => {
    const own = [/^e2e\/truth\/(naive\/|history\.ts$)/];
    expect(violations(/^e2e\/truth\/(naive\/|history\.ts$)/, own)).toEqual([]);
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
});

describe('configuration has one writer', () => {
  const sources = files.filter((file) => /^packages\/server\/src\//.test(file) && !isTest(file));
  const TABLES = [
    'properties',
    ...configurationModel.collections.flatMap(({ tables }) => Object.keys(tables)),
    'history',
    'history_snapshots',
  ];
  const WRITES = [
    new RegExp(
      `\\b(insertInto|updateTable|deleteFrom|replaceInto|mergeInto|keyedRows)\\(\\s*['"](${TABLES.join('|')})\\b`,
    ),
    new RegExp(
      `\\b(insert\\s+into|update|delete\\s+from|replace\\s+into)\\s+"?(${TABLES.join('|')})\\b`,
      'i',
    ),
  ];
  const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const writesConfiguration = (file: string) => {
    const code = withoutComments(read(file));
    return WRITES.some((pattern) => pattern.test(code));
  };
  /** The exports of a store that write, themselves or through others of the file. */
  function writingExports(file: string): string[] {
    const declarations = withoutComments(read(file))
      .split(/^(?=(?:export )?(?:async )?(?:function|const|interface|type) )/m)
      .flatMap((text) => {
        const name = /^(?:export )?(?:async )?(?:function|const) (\w+)/.exec(text)?.[1];
        return name === undefined ? [] : [{ name, text, isExported: text.startsWith('export ') }];
      });
    const writing = new Set<string>();
    for (let size = -1; size < writing.size; ) {
      size = writing.size;
      for (const { name, text } of declarations) {
        const uses = [...writing].some((other) => new RegExp(`\\b${other}\\b(?!\\.list\\b)`).test(text));
        if (uses || /\b(insertInto|updateTable|deleteFrom|keyedRows)\(/.test(text)) writing.add(name);
      }
    }
    return declarations
      .filter(({ name, isExported }) => isExported && writing.has(name))
      .map(({ name }) => name);
  }

  it('writes its tables only in stores, and in migrations', () => {
    const writers = sources.filter(writesConfiguration);
    expect(writers.length).toBeGreaterThan(10);
    const allowed = /-store\.ts$|^packages\/server\/src\/storage\/migrations\//;
    expect(writers.filter((file) => !allowed.test(file))).toEqual([]);
  });

  it('imports what writes them only in the definitions of their nouns', () => {
    const allowed = [
      'packages/server/src/configuration/writer/configuration-writer.ts',
      // Redaction replaces text of the history, and changes no configuration.
      'packages/server/src/configuration/history/redact-history.ts',
      'packages/server/src/configuration/history/rewrite-entries.ts',
    ];
    const stores = sources.filter((file) => /-store\.ts$/.test(file) && writesConfiguration(file));
    const found = stores.flatMap((store) => {
      const names = writingExports(store);
      expect(names, store).not.toEqual([]);
      return sources.flatMap((file) =>
        namesImportedFrom(file, store)
          .filter((name) => names.includes(name))
          .filter(() => !allowed.includes(file) && !isPartOf(store, file) && !isDefinition(file))
          .map((name) => `${file} imports ${name}`),
      );
    });
    expect(found).toEqual([]);
  });

  it('uses rows for writing only in the writer', () => {
    const use = /[rR]ows\.(insert|update|remove)\b/;
    const users = sources.filter((file) => use.test(withoutComments(read(file))));
    expect(users).toEqual(['packages/server/src/configuration/writer/configuration-writer.ts']);
  });

  /** Names in `import { … } from` of one file. */
  function namesImportedFrom(file: string, from: string): string[] {
    return [...read(file).matchAll(/^import\s+(?!type\b)\{([^}]*)\}\s+from\s+['"]([^'"]+)['"]/gm)]
      .filter(([, , name]) => normalize(join(dirname(file), name!)) === from)
      .flatMap(([, names]) => names!.split(',').map((name) => name.trim().split(/\s+as\s+/)[0]!));
  }

  const isDefinition = (file: string) =>
    /^packages\/server\/src\/features\/[^/]+\/definition\.ts$/.test(file);

  /** A store may consist of several files of its feature. */
  function isPartOf(store: string, file: string): boolean {
    return /-store\.ts$/.test(file) && dirname(file) === dirname(store);
  }
});

describe('budgets', () => {
  it(`no file has more than ${MAX_LINES} lines`, () => {
    const long = files
      .map((file) => ({ file, lines: read(file).split('\n').length }))
      .filter(({ lines }) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });
});
