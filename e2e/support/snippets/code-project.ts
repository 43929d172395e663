import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { completeCode } from './complete-code.ts';
import { ROOT, type Snippet } from './snippets.ts';

export interface CodeFile {
  snippet: Snippet;
  /** Absolute path. */
  path: string;
  /** Where it can run: in a browser if it imports something for browsers. */
  platform: 'browser' | 'node';
}

const FOR_BROWSERS = /@switchyard\/sdk\/(browser|split-testing|relay|react)'|\bdocument\./;

const at = (path: string) => join(ROOT, path);

/** A project with one file per code snippet, in which the packages of the examples are installed. */
export class CodeProject {
  readonly directory: string;
  readonly files: CodeFile[] = [];

  constructor() {
    mkdirSync(at('node_modules/.cache'), { recursive: true });
    this.directory = mkdtempSync(at('node_modules/.cache/switchyard-snippets-'));
    mkdirSync(join(this.directory, 'node_modules/@switchyard'), { recursive: true });
    symlinkSync(at('packages/sdk'), join(this.directory, 'node_modules/@switchyard/sdk'));
    writeFileSync(join(this.directory, 'package.json'), '{ "type": "module" }');
  }

  /** Adds the code snippets of a page, in their order. */
  add(snippets: readonly Snippet[], fixtures: Record<string, string>, adapt: (code: string) => string): void {
    const [first] = snippets;
    if (first === undefined) return;
    const folder = join(this.directory, first.page.replace(/\W+/g, '-'));
    mkdirSync(folder, { recursive: true });
    for (const [index, snippet] of snippets.entries()) {
      const { language, line, fileName } = snippet;
      const code = fileName
        ? snippet.code
        : completeCode(
            snippet,
            snippets.slice(0, index).filter((each) => !each.fileName),
            fixtures,
          );
      // A module even without imports; a server must not meet another one.
      const text = `${adapt(code).replaceAll(/\.listen\(\d+/g, '.listen(0')}\nexport {};\n`;
      const path = join(folder, fileName ?? `line-${line}.${language}`);
      writeFileSync(path, text);
      this.files.push({ snippet, path, platform: FOR_BROWSERS.test(code) ? 'browser' : 'node' });
    }
  }

  /** The messages of the compiler about the TypeScript files. */
  typeErrors(): Promise<string> {
    const files = this.files.map(({ path }) => path).filter((path) => /\.tsx?$/.test(path));
    const compilerOptions = {
      noEmit: true,
      skipLibCheck: true,
      target: 'es2023',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: ['node'],
      jsx: 'react-jsx',
      strict: true,
      allowImportingTsExtensions: true,
    };
    const config = join(this.directory, 'tsconfig.json');
    writeFileSync(config, JSON.stringify({ compilerOptions, files }));
    return new Promise((resolve) => {
      const args = [at('node_modules/typescript/bin/tsc'), '-p', config];
      execFile(process.execPath, args, { cwd: this.directory }, (_error, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
  }

  /** Bundles the files for a platform; returns the paths of the bundles in the same order. */
  async bundle(files: readonly CodeFile[], platform: 'browser' | 'node'): Promise<string[]> {
    if (files.length === 0) return [];
    const names = files.map((_, index) => `${platform}-${index}`);
    const build = await rolldown({
      input: Object.fromEntries(files.map(({ path }, index) => [names[index]!, path])),
      platform,
      transform: { define: { 'process.env.NODE_ENV': '"development"' } },
      ...(platform === 'node' ? { external: /^[^./]/ } : {}),
    });
    await build.write({ dir: this.directory, format: 'esm', entryFileNames: '[name].mjs' });
    await build.close();
    return names.map((name) => join(this.directory, `${name}.mjs`));
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
