import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Starts and stops the server, which writes the code cache (`bin/load-bundle.cjs`), so that already its first start is fast. */
export async function fillCodeCache() {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchyard-build-'));
  const server = spawn(process.execPath, [join(import.meta.dirname, 'bin/switchyard.js'), 'serve'], {
    env: { DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A build never waits for a server that does not start.
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  const exited = once(server, 'exit');
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /http:\S+/.exec(line);
    if (url === null) continue;
    await fetch(`${url[0]}/readyz`);
    server.kill('SIGTERM');
    break;
  }
  const [code] = await exited;
  await rm(dataDir, { recursive: true, force: true });
  if (code !== 0)
    console.warn(`The code cache is missing: the server exited with ${code}. Starts take longer.`);
}
