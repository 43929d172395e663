import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BIN } from '@switchyard/testing/server/test-server';
import type { Snippet } from './snippets.ts';

const MARK = '\u0001';

export interface ShellOptions {
  env: Record<string, string>;
  /** Changes the code before it runs. */
  adapt: (code: string) => string;
}

/** A directory in which `./switchyard` and `switchyard` work. */
export function shellDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-snippets-'));
  mkdirSync(join(directory, 'bin'));
  for (const path of [join(directory, 'switchyard'), join(directory, 'bin', 'switchyard')]) {
    writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
    chmodSync(path, 0o755);
  }
  return directory;
}

/** Runs the shell snippets of a page in one session; returns the output of each by its place. */
export async function runInShell(
  snippets: readonly Snippet[],
  directory: string,
  { env, adapt }: ShellOptions,
): Promise<Map<string, string>> {
  const parts = snippets.map(({ code, place }) => `printf '${MARK}${place}${MARK}'\n${adapt(code)}`);
  const { output, errors, code } = await bash(`set -euo pipefail\n${parts.join('\n')}`, directory, {
    ...env,
    HOME: directory,
    PATH: `${join(directory, 'bin')}:${process.env.PATH}`,
  });
  const [, ...pieces] = output.split(MARK);
  const outputs = new Map<string, string>();
  for (let index = 0; index < pieces.length; index += 2) outputs.set(pieces[index]!, pieces[index + 1]!);
  const last = [...outputs].at(-1);
  if (code !== 0) throw new Error(`${last?.[0]} exited with ${code}:\n${last?.[1]}\n${errors}`);
  return outputs;
}

function bash(script: string, cwd: string, env: Record<string, string>) {
  const child = spawn('bash', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  child.stderr.on('data', (data) => {
    errors += data;
  });
  return new Promise<{ output: string; errors: string; code: number | null }>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ output, errors, code }));
  });
}

/** The last JSON document of an output; several requests print several. */
export function lastJson(output: string): unknown {
  const text = output.trim();
  return JSON.parse(text.slice(text.lastIndexOf('}{') + 1));
}
