import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { freePort } from '@switchyard/testing/network/free-port';
import { waitFor } from '@switchyard/testing/time/wait';
import { rolldown } from 'rolldown';
import { patientPage } from './visits.ts';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The files of a documentation page, ready for this server: blocks whose first line is a comment with the name. */
export function documentedFiles(page: string, apiUrl: string): Map<string, string> {
  const text = readFileSync(at(page), 'utf8');
  const blocks = text.matchAll(/^```\w+\n(?:\/\/|#) (\S+\.\w+)\n(.*?)^```$/gms);
  return new Map([...blocks].map(([, name, code]) => [name!, withService(code!, apiUrl)]));
}

/** The HTML pages of a documentation page, ready for this server. */
export function documentedHtml(page: string, apiUrl: string): string[] {
  const blocks = readFileSync(at(page), 'utf8').matchAll(/^```html\n(.*?)^```$/gms);
  return [...blocks].map(([, code]) => withService(code!, apiUrl));
}

const withService = (code: string, apiUrl: string): string =>
  patientPage(code)
    // Long enough for a busy machine.
    .replace('timeoutMs: 1000', 'timeoutMs: 120_000')
    .replaceAll(/https:\/\/switchyard\.example|http:\/\/127\.0\.0\.1:8080/g, apiUrl)
    .replaceAll('service_pub_your_key', PUBLIC_KEY)
    .replaceAll('service_sec_your_key', SECRET_KEY);

export interface DocumentedServer {
  url: string;
  /** With SIGTERM, on which it has to exit with 0. */
  stop(): Promise<void>;
}

/** A directory with the files of a documentation page; libraries come from the repository. */
export class DocumentedProject {
  readonly directory: string;
  readonly #apiUrl: string;
  readonly #children: ChildProcess[] = [];

  constructor(page: string, apiUrl: string) {
    mkdirSync(at('node_modules/.cache'), { recursive: true });
    this.directory = mkdtempSync(at('node_modules/.cache/switchyard-documented-'));
    this.#apiUrl = apiUrl;
    mkdirSync(join(this.directory, 'node_modules/@switchyard'), { recursive: true });
    symlinkSync(at('packages/sdk'), join(this.directory, 'node_modules/@switchyard/sdk'));
    this.add(page);
  }

  /** Adds the files of a page. */
  add(page: string): void {
    for (const [name, code] of documentedFiles(page, this.#apiUrl)) this.write(name, code);
  }

  write(name: string, content: string): void {
    const file = join(this.directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  /** Bundles one of the files, as the tools of the reader would; returns the path of the bundle. */
  async bundle(name: string, output: string, alias: Record<string, string> = {}): Promise<string> {
    const isPage = output.endsWith('.js');
    const build = await rolldown({
      input: join(this.directory, name),
      platform: isPage ? 'browser' : 'node',
      external: isPage ? [] : ['express', /^@openfeature/],
      resolve: { alias },
      // It warns about 'use client', which only frameworks understand.
      logLevel: 'silent',
      transform: { define: { 'process.env.NODE_ENV': '"development"' } },
    });
    const file = join(this.directory, output);
    await build.write({ file, format: 'esm', codeSplitting: false });
    await build.close();
    return file;
  }

  /** Starts a program that listens on `PORT`, and waits until it does. */
  async start(name: string): Promise<DocumentedServer> {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    const { child, output } = this.#spawn(name, { PORT: String(port) });
    const ended = once(child, 'close');
    await waitFor('the server', async () => {
      if (child.exitCode !== null) throw new Error(`${name} exited:\n${output()}`);
      return fetch(url, { headers: { connection: 'close' } }).then(
        (response) => response.text().then(() => true),
        () => false,
      );
    });
    const stop = async () => {
      child.kill('SIGTERM');
      const [code] = await ended;
      if (code !== 0) throw new Error(`${name} exited with ${code}:\n${output()}`);
    };
    return { url, stop };
  }

  /** Runs a program to its end; resolves to what it printed. */
  async run(name: string): Promise<string> {
    const { child, output } = this.#spawn(name, {});
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${name} exited with ${code}:\n${output()}`);
    return output();
  }

  remove(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.directory, { recursive: true, force: true });
  }

  #spawn(name: string, env: Record<string, string>): { child: ChildProcess; output(): string } {
    const child = spawn(process.execPath, [name], {
      cwd: this.directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH ?? '',
        SWITCHYARD_URL: this.#apiUrl,
        SWITCHYARD_SECRET_KEY: SECRET_KEY,
        ...env,
      },
    });
    this.#children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    return { child, output: () => output };
  }
}
