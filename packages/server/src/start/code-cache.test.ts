import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@switchyard/testing/server/test-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const CACHE = `dist/code-cache/${process.version}-${process.arch}`;

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
  cpSync(join(import.meta.dirname, '../../bin'), join(directory, 'bin'), { recursive: true });
  mkdirSync(join(directory, 'dist'));
  writeFileSync(join(directory, 'dist/part.cjs'), "exports.word = 'hello';");
  writeFileSync(
    join(directory, 'dist/greet.cjs'),
    "exports.greet = () => console.log(require('./part.cjs').word, require('node:path').sep);",
  );
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const greet = (...flags: string[]) =>
  execFileSync(
    process.execPath,
    [...flags, '-e', "require('./bin/load-bundle.cjs').loadBundle('greet').greet()"],
    {
      cwd: directory,
      encoding: 'utf8',
      stdio: 'pipe',
    },
  );
const cached = () => readFileSync(join(directory, CACHE, 'greet'));

describe('the code cache', () => {
  it('is written by the first process and used by the next ones', () => {
    expect(greet()).toBe('hello /\n');
    expect(readdirSync(join(directory, CACHE))).toEqual(['greet']);
    const first = cached();
    expect(greet()).toBe('hello /\n');
    expect(cached()).toEqual(first);
  });

  it('gets code that was loaded later', () => {
    greet();
    const first = cached();
    writeFileSync(
      join(directory, 'dist/greet.cjs'),
      "exports.greet = () => console.log(require('./other.cjs'));",
    );
    writeFileSync(join(directory, 'dist/other.cjs'), 'module.exports = 5;');
    expect(greet()).toBe('5\n');
    expect(cached()).not.toEqual(first);
    expect(cached().toString('latin1')).toContain('part.cjs');
  });

  it('is replaced if V8 does not accept it', () => {
    greet('--no-opt');
    const first = cached();
    expect(greet()).toBe('hello /\n');
    expect(cached()).not.toEqual(first);
  });

  it.each(['', 'no header', '[["greet.cjs",5]]\nabcde', '[["greet.cjs",500]]\nabcde'])(
    'is replaced if it is damaged: %j',
    (content) => {
      greet();
      writeFileSync(join(directory, CACHE, 'greet'), content);
      expect(greet()).toBe('hello /\n');
      expect(cached().length).toBeGreaterThan(500);
    },
  );

  it('is optional: a directory that cannot be written is ignored', () => {
    writeFileSync(join(directory, 'dist/code-cache'), '');
    expect(greet()).toBe('hello /\n');
  });

  it('is not used if stack traces shall show source files', () => {
    expect(greet('--enable-source-maps')).toBe('hello /\n');
    expect(readdirSync(join(directory, 'dist'))).not.toContain('code-cache');
  });
});
