import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { ProvisionError, type ProvisionMistake } from './provision-mistake.ts';

/** Reads a file, or standard input for `-`. `setting` is the environment variable that named the file, if any. */
export async function readInput(file: string, setting?: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'the file does not exist' : (error as Error).message;
    throw new Error(`Cannot read ${setting === undefined ? '' : `${setting} `}${file}: ${reason}.`);
  }
}

/** Reports the mistakes found by `run` as `file:line:column`, which editors and terminals make clickable. */
export async function reportingMistakes<T>(file: string, json: boolean, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ProvisionError)) throw error;
    if (json) console.log(JSON.stringify({ mistakes: error.mistakes }, undefined, 2));
    const name = file === '-' ? 'standard input' : file;
    const count = error.mistakes.length === 1 ? 'one mistake' : `${error.mistakes.length} mistakes`;
    const lines = error.mistakes.map((mistake) => `  ${describe(mistake, name)}`);
    throw new Error(`${name} has ${count}; nothing was changed.\n${lines.join('\n')}`);
  }
}

function describe({ path, message, line, column }: ProvisionMistake, file: string): string {
  const position = line === undefined ? file : `${file}:${line}:${column}`;
  return `${position}  ${path === '' ? '' : `${path} `}${message}`;
}
