import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@switchyard/testing/network/free-port';
import { TEST_CACHE } from '@switchyard/testing/programs/test-cache';
import { waitFor } from '@switchyard/testing/time/wait';
import { documentedFiles } from './documented-project.ts';

/** What creates a new app, with the answers that it would ask for. A linter is the only default that is left out. */
const GENERATORS = {
  next: ['create-next-app@16.4.3', '--yes', '--no-linter', '--skip-install', '--disable-git'],
  vite: ['create-vite@9.3.0', '--template', 'react-ts', '--no-interactive'],
};

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const lockfile = (name: string) => at(`e2e/support/scaffolds/${name}/package-lock.json`);

/** Not copied from a scaffold. Next.js looks for the lockfile, and takes its directory as that of the workspace. */
const SHARED = ['node_modules', 'package-lock.json', 'runs'];

/** The SDK is installed without npm, and so are the libraries that it needs. */
const SDK_LIBRARIES = ['isbot', 're2js'];

/**
 * A new app of a framework with its libraries, in the cache of the tests. Undefined if npm cannot install it; in CI,
 * that is an error.
 */
export function findScaffold(name: keyof typeof GENERATORS): string | undefined {
  const version = createHash('sha256')
    .update(readFileSync(lockfile(name)))
    .update(GENERATORS[name].join());
  const target = join(TEST_CACHE, `scaffold-${name}-${version.digest('hex').slice(0, 12)}`);
  if (existsSync(target)) return target;
  console.log(`Installing a new app of ${name} for the tests, into a cache outside of the checkout …`);
  try {
    install(name, target);
    return target;
  } catch (error) {
    if (process.env.CI) throw error;
    console.warn(`Skipping the tests with ${name}: ${(error as Error).message}`);
    return undefined;
  }
}

function install(name: keyof typeof GENERATORS, target: string): void {
  mkdirSync(TEST_CACHE, { recursive: true });
  const temporary = mkdtempSync(join(TEST_CACHE, `scaffold-${name}-`));
  const app = join(temporary, name);
  const npm = (cwd: string, args: string[]) =>
    execFileSync('npm', args, {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
    });
  try {
    const [generator, ...answers] = GENERATORS[name];
    npm(temporary, ['exec', '--yes', '--', generator!, name, ...answers]);
    copyFileSync(lockfile(name), join(app, 'package-lock.json'));
    npm(app, ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
    // Another run may have been faster.
    if (!existsSync(target)) renameSync(app, target);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** A copy of a scaffold with the files of a page of the documentation. */
export class ScaffoldedApp {
  readonly directory: string;
  readonly #scaffold: string;
  #server: ChildProcess | undefined;
  /** What its server printed. */
  output = '';

  /** Below the scaffold, so that libraries are found there. */
  constructor(scaffold: string) {
    this.#scaffold = scaffold;
    mkdirSync(join(scaffold, 'runs'), { recursive: true });
    this.directory = mkdtempSync(join(scaffold, 'runs', 'run-'));
    for (const name of readdirSync(scaffold)) {
      if (SHARED.includes(name)) continue;
      cpSync(join(scaffold, name), join(this.directory, name), { recursive: true });
    }
  }

  /** As `npm install URL/sdk.tgz` does. */
  async installSdk(apiUrl: string): Promise<void> {
    const modules = join(this.directory, 'node_modules');
    const sdk = join(modules, '@switchyard/sdk');
    mkdirSync(sdk, { recursive: true });
    const archive = Buffer.from(await (await fetch(`${apiUrl}/sdk.tgz`)).arrayBuffer());
    execFileSync('tar', ['-xz', '--strip-components=1'], { cwd: sdk, input: archive });
    for (const library of SDK_LIBRARIES) {
      cpSync(at(`node_modules/${library}`), join(modules, library), { recursive: true, dereference: true });
    }
  }

  /** Writes files of a page of the documentation, for this server; default: all of them. */
  addPage(page: string, apiUrl: string, paths?: Record<string, string>): void {
    for (const [name, code] of documentedFiles(page, apiUrl)) {
      const path = paths ? paths[name] : name;
      if (path === undefined) continue;
      const file = join(this.directory, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, code);
    }
  }

  /** Runs a program of the scaffold to its end; throws with its output if it fails. */
  async run(program: string, ...args: string[]): Promise<void> {
    const child = this.#spawn(program, args);
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${code}:\n${this.output}`);
  }

  /** Starts a program that serves pages on a port; resolves to their URL. */
  async serve(program: string, args: (port: number) => string[]): Promise<string> {
    const port = await freePort();
    const child = this.#spawn(program, args(port));
    this.#server = child;
    const url = `http://localhost:${port}`;
    await waitFor('the server', async () => {
      if (child.exitCode !== null) throw new Error(`${program} exited:\n${this.output}`);
      return fetch(url, { headers: { connection: 'close' } }).then(
        (response) => response.text().then(() => true),
        () => false,
      );
    });
    return url;
  }

  async remove(): Promise<void> {
    if (this.#server && this.#server.exitCode === null && this.#server.signalCode === null) {
      const closed = once(this.#server, 'close');
      this.#server.kill('SIGKILL');
      await closed;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }

  #spawn(program: string, args: string[]): ChildProcess {
    this.output = '';
    const { HOME = '', PATH = '' } = process.env;
    const child = spawn(process.execPath, [join(this.#scaffold, 'node_modules', program), ...args], {
      cwd: this.directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { HOME, PATH, NEXT_TELEMETRY_DISABLED: '1' },
    });
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
    return child;
  }
}
