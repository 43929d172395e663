// Runs all tests. Servers, browsers and databases have time limits of their own, and on a machine that stands still for
// seconds, such a limit can end what works. Only if that was measured, the files that failed run once more, one by one.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measurePauses } from './machine-pauses.js';

const directory = mkdtempSync(join(tmpdir(), 'switchyard-run-'));
/** Written by `e2e/support/failed-files-reporter.ts`. */
const failedFiles = join(directory, 'failed-files.json');

function vitest(args) {
  const child = spawn('vitest', ['run', ...args], {
    shell: true,
    stdio: 'inherit',
    env: { ...process.env, FAILED_FILES: failedFiles },
  });
  return new Promise((resolve) => child.on('close', (status) => resolve(status ?? 1)));
}

function failures() {
  try {
    return JSON.parse(readFileSync(failedFiles, 'utf8'));
  } catch {
    // The run ended before its report.
    return [];
  }
}

async function run() {
  const pauses = measurePauses(directory);
  const status = await vitest(process.argv.slice(2));
  const found = await pauses.stop();
  for (const { at, seconds } of found) console.log(`The machine stood still for ${seconds} s at ${at}.`);
  const files = failures();
  if (status === 0 || found.length === 0 || files.length === 0) return status;
  console.log(
    `\nThese files failed and run once more, because the machine stood still:\n${files.join('\n')}`,
  );
  return vitest(['--no-file-parallelism', ...files]);
}

process.exitCode = await run();
rmSync(directory, { recursive: true, force: true });
