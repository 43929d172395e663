import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configurationModel } from '../packages/server/src/start/definitions.ts';
import { PRODUCT, read, withoutComments } from './support/sources.ts';

describe('configuration has one writer', () => {
  const sources = PRODUCT.map(({ path }) => path).filter((path) => path.startsWith('packages/server/src/'));
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
    const allowed = /-store\.ts$|^packages\/server\/src\/configuration\/database\/migrations\//;
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
