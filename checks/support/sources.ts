import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** An import: of a file of the repository, by its path, or of a package, by its name. */
export interface Import {
  target: string;
  isFile: boolean;
  isTypeOnly: boolean;
}

/** A source file, or an example of one. */
export interface Source {
  path: string;
  imports: readonly Import[];
}

/** All files of TypeScript in the repository, without declarations. */
export const PATHS: readonly string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter((path) => path !== '' && !path.endsWith('.d.ts'));

const isTest = (path: string): boolean => /\.(test|contract)\.tsx?$|\/testing\//.test(path);

const contents = new Map<string, string>();

export function read(path: string): string {
  const text = contents.get(path) ?? readFileSync(path, 'utf8');
  contents.set(path, text);
  return text;
}

export const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

const IMPORT =
  /^\s*(?:import|export)(\s+type)?\b[^'";]*?\bfrom\s+['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;

/** What a text imports, as the file with this path. `import { type A }` counts as an import of a value. */
export function importsIn(text: string, path: string): Import[] {
  return [...withoutComments(text).matchAll(IMPORT)].map((match) =>
    importOf(match[2] ?? match[3] ?? match[4]!, path, match[1] !== undefined),
  );
}

function importOf(name: string, path: string, isTypeOnly: boolean): Import {
  const core = /^@switchyard\/(core|testing)\/(.+)$/.exec(name);
  if (core !== null) return { target: `packages/${core[1]}/src/${core[2]}.ts`, isFile: true, isTypeOnly };
  if (!name.startsWith('.')) return { target: name, isFile: false, isTypeOnly };
  return { target: normalize(join(dirname(path), name)), isFile: true, isTypeOnly };
}

/** The product, without tests and their helpers. */
export const PRODUCT: readonly Source[] = PATHS.filter(
  (path) => path.startsWith('packages/') && !isTest(path),
).map((path) => ({ path, imports: importsIn(read(path), path) }));
