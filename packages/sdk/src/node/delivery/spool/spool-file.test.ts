import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDelivery } from '../delivery.ts';
import { SpoolFile } from './spool-file.ts';

let directory: string;
let isBroken: boolean;
let file: SpoolFile;
beforeEach(() => {
  // Nothing here may depend on the limit for slow disks.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  directory = mkdtempSync(join(tmpdir(), 'switchyard-spool-'));
  isBroken = false;
  let files = 0;
  file = new SpoolFile({
    createPath() {
      if (isBroken) throw new Error('broken');
      return join(directory, `${++files}.spool`);
    },
    onError() {},
  });
});
afterEach(async () => {
  await file.close();
  vi.useRealTimers();
  rmSync(directory, { recursive: true, force: true });
});

const goal = (body: string) => createDelivery({ kind: 'increment', body });
const content = () =>
  readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join('');

it('settles what is added while a file that was taken is replaced', async () => {
  expect(await file.append(goal('first'))).toBe(true);
  for (const name of readdirSync(directory)) rmSync(join(directory, name));
  const second = file.append(goal('second'));
  // It is being written now.
  await nextTurn();
  const third = file.append(goal('third'));
  expect(await Promise.all([second, third])).toEqual([true, true]);
  for (const body of ['first', 'second', 'third']) expect(content()).toContain(`"${body}"`);
});

it('tries again after a write that failed while the file was touched', async () => {
  const large = goal('x'.repeat(1_200_000));
  await file.append(large);
  // The next write replaces the file, most of which is done.
  file.remove(large);
  isBroken = true;
  const touched = file.keepAlive();
  expect(await file.append(goal('small'))).toBe(false);
  await touched;
  isBroken = false;
  await file.keepAlive();
  expect(content()).toContain('"small"');
});
